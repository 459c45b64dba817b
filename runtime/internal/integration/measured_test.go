package integration

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// measured prints a figure, with the machine's load, on a line that the end of a run shows.
func measured(t testing.TB, format string, args ...any) {
	t.Helper()
	load, _ := os.ReadFile("/proc/loadavg")
	now, _, _ := strings.Cut(string(load), " ")
	t.Logf("measured: %s (load %s)", fmt.Sprintf(format, args...), cmp.Or(now, "unknown"))
}

// times are durations of the same thing.
type times []time.Duration

// p50 is the median, the larger of the two in the middle.
func (d times) p50() time.Duration { return slices.Sorted(slices.Values(d))[len(d)/2] }

func (d times) max() time.Duration { return slices.Max(d) }

func (d times) String() string {
	return fmt.Sprintf("p50 %s, max %s of %d", d.p50().Round(time.Millisecond),
		d.max().Round(time.Millisecond), len(d))
}

// leaderRounds is how often a test ends a leader: 3 times, or FW_LEADER_ROUNDS.
func leaderRounds(t testing.TB) int { return fromEnvironment(t, "FW_LEADER_ROUNDS", 3) }

// fromEnvironment is the number that a variable has, or what it is without.
func fromEnvironment(t testing.TB, variable string, without int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return without
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}
