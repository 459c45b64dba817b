package cli

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/internal/model"
)

// TestSchedule: the waits are those of the formula that the documentation has, with the table's
// defaults.
func TestSchedule(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		retry model.Retry
		want  []string // the waits, their sum, and between what that lies
	}{
		{"defaults", model.Retry{Attempts: 8},
			[]string{"0.5 s", "1 s", "2 s", "4 s", "8 s", "16 s", "30 s", "61.5 s", "49.2 s to 73.8 s"}},
		{"own numbers", model.Retry{Attempts: 5, Initial: 200 * time.Millisecond,
			Max: 1300 * time.Millisecond, Multiplier: 1.5, Jitter: 0.5},
			[]string{"0.2 s", "0.3 s", "0.45 s", "0.675 s", "1.625 s", "0.813 s to 2.438 s"}},
		{"no jitter", model.Retry{Attempts: 2, Jitter: -1}, []string{"0.5 s", "0.5 s", ""}},
		{"a single attempt", model.Retry{Attempts: 1}, []string{"0 s", "0 s to 0 s"}},
	} {
		s := newSchedule(tt.retry)
		var got []string
		for n := 1; n < s.attempts; n++ {
			got = append(got, seconds(s.wait(n)))
		}
		got = append(got, seconds(s.total()), s.spread(s.total()))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestScheduleOfMillionsOfAttempts neither takes long nor overflows.
func TestScheduleOfMillionsOfAttempts(t *testing.T) {
	t.Parallel()
	s := newSchedule(model.Retry{Attempts: math.MaxInt32, Multiplier: 100, Max: 1000 * time.Hour})
	if wait := s.wait(math.MaxInt32); wait != 1000*time.Hour {
		t.Errorf("the last wait is %v", wait)
	}
	if total := s.total(); total != math.MaxInt64 {
		t.Errorf("all waits are %v", total)
	}
	flat := newSchedule(model.Retry{Attempts: 1_000_000, Multiplier: 1})
	if total := flat.total(); total != 499_999_500*time.Millisecond {
		t.Errorf("all waits are %v", total)
	}
}
