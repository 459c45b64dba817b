package resolve_test

import (
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/spec"
)

// contradiction is a setting that cannot hold beside another. The problem is reported at the last
// occurrence of marked.
type contradiction struct {
	directives string // behind //fw:changestream, or below it
	code       diag.Code
	marked     string
}

// contradictions has an entry for every option that is available: what it contradicts, or nothing
// where it gets along with whatever is written.
var contradictions = map[string][]contradiction{
	"changestream.collection": {
		{"collection=_fw_locks", diag.StateCollection, "_fw_locks"},
		{"collection=a/b", diag.BadName, "a/b"},
	},
	"changestream.database":     nil,
	"changestream.name":         nil, // TestTwoStreamsWithOneName
	"changestream.mode":         {{"collection=a mode=all_instances\n//fw:lease", diag.LeaseWithoutOwner, "//fw:lease"}},
	"changestream.doc":          {{"collection=a doc=Invoice", diag.TypesDisagree, "Invoice"}},
	"changestream.fulldocument": {{"collection=a fulldocument=off", diag.NeedsLookup, "off"}},
	"changestream.retry":        {{"collection=a retry=5\n//fw:retry attempts=4", diag.AttemptsTwice, "4"}},
	"changestream.dlq": {
		{"collection=a dlq=b\n//fw:dlq collection=c", diag.DLQTwice, "c"},
		{"collection=aa dlq=aa", diag.StateCollection, "aa"},
		{"collection=a dlq=_fw_checkpoints", diag.StateCollection, "_fw_checkpoints"},
	},
	"changestream.exhausted": {
		{"collection=a dlq exhausted=skip", diag.ExhaustedWithDLQ, "exhausted"},
		{"collection=a exhausted=skip\n//fw:dlq", diag.ExhaustedWithDLQ, "exhausted"},
	},
	"changestream.timeout":     nil,
	"changestream.window":      nil,
	"changestream.enabled":     nil,
	"changestream.autostart":   nil,
	"changestream.description": nil,
	"changestream.zone":        nil,
	"retry.attempts":           {{"collection=a retry=2\n//fw:retry attempts=33", diag.AttemptsTwice, "33"}},
	"retry.initial":            {{"collection=a\n//fw:retry initial=31s", diag.MaxBelowInitial, "31s"}},
	"retry.multiplier":         nil,
	"retry.max":                {{"collection=a\n//fw:retry initial=7s max=3s", diag.MaxBelowInitial, "3s"}},
	"retry.jitter":             nil,
	"retry.on":                 {{"collection=a\n//fw:retry on=ErrX except=ErrX", diag.ExceptSwallowsOn, "ErrX"}},
	"retry.except":             {{"collection=a\n//fw:retry except=error", diag.ExceptSwallowsOn, "error"}},
	"dlq.collection":           {{"collection=a\n//fw:dlq collection=_fw_instances", diag.StateCollection, "_fw_instances"}},
	"dlq.retention":            nil,
	"dlq.document":             nil,
	"dlq.stack":                nil,
	"checkpoint.every":         nil,
	"checkpoint.interval":      nil,
	"checkpoint.idle":          nil,
	"checkpoint.start":         nil,
	"lease.ttl":                {{"collection=a mode=single_leader\n//fw:lease ttl=9s heartbeat=5s", diag.ShortTTL, "9s"}},
	"lease.heartbeat":          {{"collection=a mode=single_leader\n//fw:lease heartbeat=25s", diag.ShortTTL, "25s"}},
	"lease.poll":               {{"collection=a\n//fw:lease poll=5s", diag.LeaseWithoutOwner, "//fw:lease poll=5s"}},
	"lease.priority":           {{"collection=a\n//fw:lease priority=5", diag.LeaseWithoutOwner, "//fw:lease priority=5"}},
	"lease.yield":              {{"collection=a\n//fw:lease yield=5", diag.LeaseWithoutOwner, "//fw:lease yield=5"}},
	"restart.attempts":         nil,
	"restart.initial":          {{"collection=a\n//fw:restart initial=61s", diag.MaxBelowInitial, "61s"}},
	"restart.multiplier":       nil,
	"restart.max":              {{"collection=a\n//fw:restart initial=4s max=2s", diag.MaxBelowInitial, "2s"}},
	"restart.jitter":           nil,
}

const contradictory = `package orders

import (
	"context"
	"errors"
)

type Order struct{}

type Invoice struct{}

var ErrX = errors.New("x")

//fw:changestream DIRECTIVES
type Handler struct{}

func (*Handler) OnUpdate(context.Context, *Order) error { return nil }
`

// TestEveryOptionContradicts makes the contradictions of every option, and walks the table so that
// a new one has to say what it contradicts.
func TestEveryOptionContradicts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, v := range spec.Verbs {
		for _, key := range v.Available() {
			list, ok := contradictions[v.Name+"."+key]
			if !ok {
				t.Errorf("%s.%s: say what it contradicts, or that it contradicts nothing", v.Name, key)
			}
			for _, c := range list {
				c.check(t, dir)
			}
		}
	}
}

func (c contradiction) check(t *testing.T, dir string) {
	t.Helper()
	src := strings.Replace(contradictory, "DIRECTIVES", c.directives, 1)
	got := understand(t, dir, map[string]string{"orders.go": src})
	if len(got.problems) != 1 {
		t.Errorf("%s: %d problems: %v", c.directives, len(got.problems), got.problems)
		return
	}
	d := got.first()
	line := strings.Split(src, "\n")[d.Pos.Line-1]
	if d.Code != c.code || line[d.Pos.Col-1:d.Pos.Col-1+d.Pos.Len] != c.marked ||
		strings.LastIndex(line, c.marked) != d.Pos.Col-1 {
		t.Errorf("%s: %v at %q, want %v at %q", c.directives, d, line[d.Pos.Col-1:], c.code, c.marked)
	}
}
