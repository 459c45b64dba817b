package spec_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

func TestParse(t *testing.T) {
	t.Parallel()
	none := diag.Code(0)
	for _, tt := range []struct {
		verb, key, text string
		want            any
		code            diag.Code
	}{
		{"changestream", "retry", "5", 5, none},
		{"changestream", "retry", "2147483647", math.MaxInt32, none},
		{"changestream", "retry", "2147483648", nil, diag.OutOfRange},
		{"changestream", "retry", "0", nil, diag.OutOfRange},
		{"changestream", "retry", "-0", nil, diag.OutOfRange},
		{"changestream", "retry", "0x10", nil, diag.WrongKind},
		{"changestream", "retry", "1_000", nil, diag.WrongKind},
		{"changestream", "retry", "", nil, diag.WrongKind},
		{"restart", "attempts", "0", 0, none},
		{"restart", "attempts", "-1", nil, diag.OutOfRange},
		{"retry", "multiplier", "1", 1.0, none},
		{"retry", "multiplier", "2.50", 2.5, none},
		{"retry", "multiplier", "100.5", nil, diag.OutOfRange},
		{"retry", "multiplier", "Inf", nil, diag.WrongKind},
		{"retry", "jitter", "0%", 0.0, none},
		{"retry", "jitter", "100%", 1.0, none},
		{"retry", "jitter", "100.1%", nil, diag.OutOfRange},
		{"retry", "jitter", "%", nil, diag.WrongKind},
		{"retry", "jitter", "0.2", nil, diag.WrongKind},
		{"retry", "initial", "1m30s", 90 * time.Second, none},
		{"retry", "initial", "0s", nil, diag.OutOfRange},
		{"retry", "initial", "-1s", nil, diag.OutOfRange},
		{"dlq", "retention", "0", time.Duration(0), none},
		{"dlq", "retention", "30d", 720 * time.Hour, none},
		{"dlq", "retention", "-1d", nil, diag.WrongKind},
		{"changestream", "mode", "single_leader", "single_leader", none},
		{"changestream", "mode", "Single_leader", nil, diag.UnknownValue},
		{"changestream", "mode", "partitioned", nil, diag.UnavailableValue},
		{"changestream", "collection", "*", nil, diag.UnavailableValue},
		{"changestream", "collection", "日本", "日本", none},
		{"changestream", "collection", "order items", "order items", none},
		{"changestream", "collection", "system.views", nil, diag.BadName},
		{"changestream", "collection", "systems", "systems", none},
		{"changestream", "collection", "a\x00b", nil, diag.BadName},
		{"changestream", "collection", "a\xffb", nil, diag.BadName},
		{"changestream", "collection", strings.Repeat("x", 235), strings.Repeat("x", 235), none},
		{"changestream", "collection", strings.Repeat("x", 236), nil, diag.BadName},
		{"changestream", "database", "shop", "shop", none},
		{"changestream", "database", "a/b", nil, diag.BadName},
		{"changestream", "database", "local", nil, diag.BadName},
		{"changestream", "database", strings.Repeat("x", 63), strings.Repeat("x", 63), none},
		{"changestream", "database", strings.Repeat("x", 64), nil, diag.BadName},
		{"changestream", "name", "a.b", "a.b", none},
		{"changestream", "name", "a#b", nil, diag.BadName},
		{"changestream", "enabled", "false", false, none},
		{"changestream", "enabled", "FALSE", nil, diag.WrongKind},
		{"changestream", "doc", "models.Order", "models.Order", none},
		{"changestream", "doc", "a.b.C", nil, diag.WrongKind},
		{"changestream", "description", "a word, or two", "a word, or two", none},
		{"retry", "on", "*pkg.Error", "*pkg.Error", none},
		{"retry", "on", "**Error", nil, diag.WrongKind},
		{"retry", "on", "Érr", "Érr", none},
		{"retry", "on", "1Err", nil, diag.WrongKind},
		{"checkpoint", "start", "now", "now", none},
		{"checkpoint", "start", "2026-01-02T15:04:05+01:00", nil, diag.UnavailableValue},
		{"checkpoint", "start", "2026-01-02", nil, diag.UnknownValue},
	} {
		got, problem := spec.Lookup(tt.verb).Lookup(tt.key).Parse(tt.text)
		code := none
		if problem != nil {
			code = problem.Code
		}
		if code != tt.code || got != tt.want {
			t.Errorf("%s %s=%q: got %v, %v; want %v, %v",
				tt.verb, tt.key, tt.text, got, code, tt.want, tt.code)
		}
	}
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"1d": 24 * time.Hour, "1d12h": 36 * time.Hour, "0.5d": 12 * time.Hour, "0d": 0,
		"106751d": 106751 * 24 * time.Hour, "1h": time.Hour, "-1h": -time.Hour,
	} {
		if got, err := spec.ParseDuration(text); got != want || err != nil {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "d", "1", "1dd", "1d1", "1d-1h", "1d+1h", "1h1d", "106752d", "9999999999d", "1 d",
		"106751d24h", "1e9d", ".d",
	} {
		if got, err := spec.ParseDuration(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}
