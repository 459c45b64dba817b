package simulation_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/fwgen/fwgen/runtime/internal/simulation"
)

var (
	seeds = flag.Int("seeds", ordinarily, "how many seeds to play")
	first = flag.Uint64("first", 1, "the first of them")
	stop  = flag.String("stop", "", "play no more seeds after the first that breaks this rule")
	trace = flag.Bool("trace", false, "tell what happens, and what the apps log")
)

// TestMain trades memory, of which seeds need little, for time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	goleak.VerifyTestMain(m)
}

// TestSeeds plays schedules and judges what came of them. Seeds are begun in their order, as many
// at a time as there are processors.
func TestSeeds(t *testing.T) {
	t.Parallel()
	var next atomic.Uint64
	var failed atomic.Bool
	next.Store(*first)
	var players sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		players.Go(func() {
			for seed := next.Add(1) - 1; seed < *first+uint64(*seeds); seed = next.Add(1) - 1 {
				if failed.Load() {
					return
				}
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					for _, v := range play(t, seed) {
						if string(v.Rule) == *stop {
							failed.Store(true)
						}
					}
				})
			}
		})
	}
	players.Wait()
}

// play plays one seed, in a bubble of its own, and returns which promises it broke.
func play(t *testing.T, seed uint64) []simulation.Violation {
	t.Helper()
	schedule := simulation.Draw(seed)
	var record *simulation.Record
	var told io.Writer
	if *trace {
		told = &locked{w: os.Stdout}
	}
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if record, err = simulation.Run(schedule, told); err != nil {
			t.Error(err)
		}
	})
	if record == nil {
		return nil
	}
	found := simulation.Judge(record)
	t.Log(summary(record), "in", time.Since(began).Round(time.Millisecond))
	if len(found) > 0 {
		t.Error(report(schedule, found))
	}
	return found
}

// report says what was found, and how to find it again.
func report(s simulation.Schedule, found []simulation.Violation) string {
	var b strings.Builder
	const most = 10
	for i, v := range found {
		if i == most {
			fmt.Fprintf(&b, "\n… and %d more", len(found)-most)
			break
		}
		fmt.Fprintf(&b, "\nseed %d breaks a promise: %s", s.Seed, v)
	}
	fmt.Fprintf(&b, "\n\n%s\nagain, with all that happens:\n"+
		"go test ./runtime/internal/simulation -count=1 -run 'TestSeeds/%d$' -args "+
		"-first=%[2]d -seeds=1 -trace\n", s, s.Seed)
	return b.String()
}

func summary(r *simulation.Record) string {
	return fmt.Sprintf("%d changes, %d attempts, %d positions, %d dead letters, %d leases, %d lives",
		len(r.Changes), len(r.Attempts), len(r.States), len(r.Letters), len(r.Leases), len(r.Lives))
}

// locked is written to by several goroutines.
type locked struct {
	mu sync.Mutex // guards w
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// TestSeedsDrawTheSameSchedule holds that a failure can be repeated by its seed.
func TestSeedsDrawTheSameSchedule(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		one, two := simulation.Draw(seed).String(), simulation.Draw(seed).String()
		if one != two {
			t.Fatalf("seed %d draws\n%s\nand then\n%s", seed, one, two)
		}
		if seed > 0 && one == simulation.Draw(seed-1).String() {
			t.Errorf("seeds %d and %d draw the same", seed-1, seed)
		}
	}
}

// TestFailureSaysHowToRepeatIt holds what a report of a failure has.
func TestFailureSaysHowToRepeatIt(t *testing.T) {
	t.Parallel()
	s := simulation.Draw(42)
	text := report(s, []simulation.Violation{{Rule: simulation.RuleLost, Text: "k/1"}})
	for _, want := range []string{
		"seed 42 breaks a promise: event is lost: k/1", s.String(),
		"go test ./runtime/internal/simulation -count=1 -run 'TestSeeds/42$' -args -first=42 -seeds=1",
	} {
		if !bytes.Contains([]byte(text), []byte(want)) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}
