package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is one line of "go test -json"; see "go doc test2json".
type event struct {
	Action      string
	Package     string
	Test        string
	Elapsed     float64
	Output      string
	ImportPath  string // of build-output and build-fail
	FailedBuild string // of a package's fail
}

// tally counts the tests of all modules.
type tally struct {
	out                     io.Writer
	passed, failed, skipped int
	failures, skips         []string // "package Test: reason", in the order of their ends
	figures                 []string // what tests have measured

	packages map[string]*packageRun
}

// packageRun collects what one package's tests have said so far.
type packageRun struct {
	order  []string          // tests in the order of their start
	result map[string]string // test → pass, fail, skip; "" while it runs
	output []line
}

// line is a piece of output and the test that it belongs to; none for the package's own.
type line struct{ test, text string }

func newTally(out io.Writer) *tally {
	return &tally{out: out, packages: map[string]*packageRun{}}
}

// read takes the events of one run of go test. Lines that are no event are passed on.
func (t *tally) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		text, err := lines.ReadString('\n')
		if text != "" {
			var e event
			if json.Unmarshal([]byte(text), &e) == nil && e.Action != "" {
				t.take(e)
			} else {
				fmt.Fprint(t.out, text)
			}
		}
		if err == io.EOF {
			t.cutShort()
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events of go test: %w", err)
		}
	}
}

func (t *tally) take(e event) {
	switch {
	case e.Action == "build-output":
		fmt.Fprint(t.out, e.Output)
	case e.Package == "":
	case e.Action == "output":
		run := t.run(e.Package)
		run.output = append(run.output, line{e.Test, e.Output})
		t.measure(e.Output)
	case e.Test != "":
		t.run(e.Package).note(e)
	case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
		run := t.run(e.Package)
		delete(t.packages, e.Package)
		t.finish(e, run)
	}
}

// measure keeps a line of output that begins, behind its position, with "measured:".
func (t *tally) measure(output string) {
	if text := withoutPosition(strings.TrimSpace(output)); strings.HasPrefix(text, "measured:") {
		t.figures = append(t.figures, text)
	}
}

func (t *tally) run(name string) *packageRun {
	run := t.packages[name]
	if run == nil {
		run = &packageRun{result: map[string]string{}}
		t.packages[name] = run
	}
	return run
}

// note follows a test. With -count it runs several times and counts once: as failed if it
// failed in any.
func (r *packageRun) note(e event) {
	before, known := r.result[e.Test]
	if !known {
		r.order = append(r.order, e.Test)
	}
	switch {
	case before == "fail":
	case e.Action == "run":
		r.result[e.Test] = ""
	case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
		r.result[e.Test] = e.Action
	}
}

// finish counts a package that has ended and prints its line.
func (t *tally) finish(e event, run *packageRun) {
	passed, failed, skipped := t.passed, t.failed, t.skipped
	for _, test := range run.order {
		t.count(e.Package, test, run)
	}
	if e.Action == "fail" && t.failed == failed {
		t.fail(e.Package, outside(e))
	}
	passed, failed, skipped = t.passed-passed, t.failed-failed, t.skipped-skipped
	if failed > 0 {
		run.printFailures(t.out)
	}
	switch {
	case failed > 0:
		fmt.Fprintf(t.out, "FAIL %s (%.1f s): %d passed, %d failed, %d skipped\n",
			e.Package, e.Elapsed, passed, failed, skipped)
	case passed+skipped == 0:
		fmt.Fprintf(t.out, "--   %s: no tests\n", e.Package)
	default:
		fmt.Fprintf(t.out, "ok   %s (%.1f s): %d passed, %d skipped\n",
			e.Package, e.Elapsed, passed, skipped)
	}
}

// outside says why a package failed none of whose tests did.
func outside(e event) string {
	if e.FailedBuild != "" {
		return "(build failed)"
	}
	return "(failed outside its tests)"
}

// count adds one test. One that was started and has no result ended with its process.
func (t *tally) count(pkg, test string, run *packageRun) {
	result := run.result[test]
	below := run.below(test)
	switch {
	case result == "" || result == "fail":
		if slices.ContainsFunc(below, run.hasFailed) {
			return // the subtest counts
		}
		if result == "" {
			test += " (did not end)"
		}
		t.fail(pkg, test)
	case len(below) > 0:
	case result == "skip":
		t.skipped++
		t.skips = append(t.skips, pkg+" "+test+": "+run.reason(test))
	default:
		t.passed++
	}
}

func (r *packageRun) hasFailed(test string) bool {
	return r.result[test] == "" || r.result[test] == "fail"
}

// below returns the subtests of a test, at any depth.
func (r *packageRun) below(test string) []string {
	var tests []string
	for _, other := range r.order {
		if strings.HasPrefix(other, test+"/") {
			tests = append(tests, other)
		}
	}
	return tests
}

// reason is what a skipped test printed, in one line, without the position and the frame.
func (r *packageRun) reason(test string) string {
	var words []string
	for _, l := range r.output {
		text := strings.TrimSpace(l.text)
		if l.test != test || isFrame(text) {
			continue
		}
		words = append(words, withoutPosition(text))
	}
	if len(words) == 0 {
		return "no reason given"
	}
	return strings.Join(words, " ")
}

// withoutPosition takes away the file and line that a test's output begins with.
func withoutPosition(text string) string {
	if position, rest, found := strings.Cut(text, ": "); found &&
		strings.Contains(position, ".go:") && !strings.Contains(position, " ") {
		return rest
	}
	return text
}

func isFrame(text string) bool {
	return text == "" || strings.HasPrefix(text, "=== ") || strings.HasPrefix(text, "--- ")
}

// printFailures prints what the package itself and its failed tests have said.
func (r *packageRun) printFailures(out io.Writer) {
	for _, l := range r.output {
		if l.test == "" || r.hasFailed(l.test) {
			fmt.Fprint(out, l.text)
		}
	}
}

func (t *tally) fail(pkg, test string) {
	t.failed++
	t.failures = append(t.failures, pkg+" "+test)
}

// failOutside counts a failure that no package reported.
func (t *tally) failOutside(where, what string) {
	t.fail(where, "("+what+")")
}

// cutShort counts the packages that have begun and not ended: go test itself was ended.
func (t *tally) cutShort() {
	for name, run := range t.packages {
		delete(t.packages, name)
		t.finish(event{Action: "fail", Package: name}, run)
	}
}

// summary prints what was measured, what was skipped, what failed and the totals. It reports
// whether the run is a success.
func (t *tally) summary() bool {
	for _, figure := range t.figures {
		fmt.Fprintln(t.out, figure)
	}
	for _, skip := range t.skips {
		fmt.Fprintln(t.out, "skipped:", skip)
	}
	for _, failure := range t.failures {
		fmt.Fprintln(t.out, "failed:", failure)
	}
	executed := t.passed + t.failed
	if executed == 0 {
		fmt.Fprintln(t.out, "failed: no test was executed")
	}
	fmt.Fprintf(t.out, "tests: %d passed, %d failed, %d skipped\n",
		t.passed, t.failed, t.skipped)
	return t.failed == 0 && executed > 0
}
