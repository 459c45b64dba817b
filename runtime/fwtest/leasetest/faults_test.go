package leasetest

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// recorder takes down what a rule finds, in place of failing.
type recorder struct {
	testing.TB

	mu    sync.Mutex // guards found
	found []string
}

func (r *recorder) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, what)
}

func (r *recorder) Error(args ...any)                 { r.note(fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) { r.note(fmt.Sprintf(format, args...)) }

func (r *recorder) Fatal(args ...any) {
	r.note(fmt.Sprint(args...))
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

// Skip counts as finding something: most stores of these tests can do everything.
func (r *recorder) Skip(...any) { r.Fatal("skipped") }

// newStore returns a faulty store with everything that a rule may need.
func newStore(breaks string, noWatch bool) Store {
	s := newFaulty(breaks, noWatch)
	return Store{
		Leases: s,
		Delete: func(_ context.Context, stream string) error {
			s.delete(stream)
			return nil
		},
		Writes: func(context.Context) (int64, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.writes, nil
		},
		Break: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.gone = true
		},
	}
}

// finds reports what a rule finds at a store.
func finds(t *testing.T, r rule, o Options) (found []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rec := &recorder{TB: t}
		checked := make(chan struct{})
		go func() {
			defer close(checked)
			r.check(rec, o)
		}()
		<-checked
		time.Sleep(2 * time.Hour) // what does not end when it should does so by then
		found = rec.found
	})
	return found
}

// For each rule there is a store that breaks it and no other, and the suite finds that out. So no
// rule passes for nothing, and a failure names what is wrong.
func TestEachRuleFindsItsFaultAlone(t *testing.T) {
	t.Parallel()
	for _, noWatch := range []bool{false, true} {
		rules := Options{NoWatch: noWatch}.rules()
		for _, broken := range append([]rule{{name: "none"}}, rules...) {
			t.Run(fmt.Sprintf("%s/NoWatch=%v", broken.name, noWatch), func(t *testing.T) {
				t.Parallel()
				o := Options{NoWatch: noWatch, New: func(testing.TB) Store {
					return newStore(broken.name, noWatch)
				}}
				for _, r := range rules {
					found := finds(t, r, o)
					if got, want := len(found) > 0, r.name == broken.name; got != want {
						t.Errorf("%s: fails is %v, want %v\n%s", r.name, got, want,
							strings.Join(found, "\n"))
					}
				}
			})
		}
	}
}

// What a store can't do for a test is skipped. Nothing else is.
func TestOnlyLeasesAreRequired(t *testing.T) {
	t.Parallel()
	o := Options{New: func(testing.TB) Store { return Store{Leases: newFaulty("none", false)} }}
	skips := map[string]bool{
		"ARefusedAttemptWritesNothing":            true,
		"ADeletedLeaseBeginsAboveTheTermAskedFor": true,
		"AStoreThatIsGoneFailsEveryCall":          true,
	}
	for _, r := range o.rules() {
		found := finds(t, r, o)
		skipped := slices.Equal(found, []string{"skipped"})
		if skipped != skips[r.name] || !skipped && found != nil {
			t.Errorf("%s: %v", r.name, found)
		}
	}
}

// The table in the documentation names rules that there are, for each number there is.
func TestTheTableOfRulesIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "//	L1 ")
	table, _, _ = strings.Cut("//	L1 "+table, "//\n")
	names := map[string]bool{}
	for _, r := range (Options{}).rules() {
		if names[r.name] {
			t.Errorf("two rules are named %s", r.name)
		}
		names[r.name] = true
	}
	listed := regexp.MustCompile(`\b[A-Z][a-z]*(?:[A-Z][a-z]*){3,}\b`).FindAllString(table, -1)
	for _, name := range listed {
		if !names[name] {
			t.Errorf("the table names %s, which is no rule", name)
		}
	}
	for n := 1; n <= 16; n++ {
		if !strings.Contains(table, fmt.Sprintf("//	L%-2d ", n)) {
			t.Errorf("L%d is not in the table", n)
		}
	}
	if len(listed) < 16 {
		t.Errorf("the table names %v", listed)
	}
}
