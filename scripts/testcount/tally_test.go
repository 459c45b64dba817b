package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files in testdata are what go test -json has printed for small packages, without times.
func TestTallyCountsWhatGoTestSays(t *testing.T) {
	for _, test := range []struct {
		name    string
		files   []string
		last    string
		success bool
		shows   []string
		hides   []string
	}{
		{
			name:  "leaves count, and parents that fail by themselves",
			files: []string{"mixed"},
			last:  "tests: 5 passed, 2 failed, 2 skipped",
			shows: []string{
				"FAIL example.com/m/mixed (0.0 s): 5 passed, 2 failed, 2 skipped",
				"three is not four",
				"the parent's own error",
				"skipped: example.com/m/mixed TestSkip: needs a replica set: no mongod\n",
				"skipped: example.com/m/mixed TestTable/skipped: no reason given\n",
				"failed: example.com/m/mixed TestTable/bad\n",
				"failed: example.com/m/mixed TestParentFails\n",
			},
			hides: []string{"quiet", "failed: example.com/m/mixed TestTable\n"},
		},
		{
			name:  "a panic is shown and fails its test",
			files: []string{"panics"},
			last:  "tests: 1 passed, 1 failed, 0 skipped",
			shows: []string{"panic: boom", "failed: example.com/m/panics TestPanics\n"},
		},
		{
			name:  "a package that does not build is one failure",
			files: []string{"nobuild"},
			last:  "tests: 0 passed, 1 failed, 0 skipped",
			shows: []string{
				"a_test.go:5:28: undefined: undefined",
				"failed: example.com/m/nobuild (build failed)\n",
			},
		},
		{
			name:  "a package that fails outside its tests is one failure",
			files: []string{"exits"},
			last:  "tests: 1 passed, 1 failed, 0 skipped",
			shows: []string{"failed: example.com/m/exits (failed outside its tests)\n"},
		},
		{
			name:  "a test that ends with its process has failed",
			files: []string{"late"},
			last:  "tests: 1 passed, 1 failed, 0 skipped",
			shows: []string{"failed: example.com/m/late TestGone/sub (did not end)\n"},
		},
		{
			name:  "no test is no success",
			files: []string{"notests", "empty"},
			last:  "tests: 0 passed, 0 failed, 0 skipped",
			shows: []string{"failed: no test was executed\n", "-- "},
		},
		{
			name:  "nor are skipped tests alone",
			files: []string{"skips"},
			last:  "tests: 0 passed, 0 failed, 1 skipped",
			shows: []string{"failed: no test was executed\n"},
		},
		{
			name:    "packages without tests do no harm",
			files:   []string{"good", "empty"},
			last:    "tests: 1 passed, 0 failed, 0 skipped",
			success: true,
		},
		{
			name:  "modules add up",
			files: []string{"mixed", "good", "panics", "nobuild"},
			last:  "tests: 7 passed, 4 failed, 2 skipped",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			total := newTally(&out)
			for _, name := range test.files {
				events, err := os.ReadFile(filepath.Join("testdata", name+".json"))
				if err != nil {
					t.Fatal(err)
				}
				if err := total.read(bytes.NewReader(events)); err != nil {
					t.Fatal(err)
				}
			}
			if success := total.summary(); success != test.success {
				t.Errorf("success %v, want %v", success, test.success)
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if last := lines[len(lines)-1]; last != test.last {
				t.Errorf("last line %q, want %q", last, test.last)
			}
			for _, text := range test.shows {
				if !strings.Contains(out.String(), text) {
					t.Errorf("%q is not shown in:\n%s", text, &out)
				}
			}
			for _, text := range test.hides {
				if strings.Contains(out.String(), text) {
					t.Errorf("%q is shown in:\n%s", text, &out)
				}
			}
		})
	}
}

func TestRunThatIsCutShortFails(t *testing.T) {
	events, err := os.ReadFile("testdata/mixed.json")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	total := newTally(&out)
	if err := total.read(bytes.NewReader(events[:len(events)/2])); err != nil {
		t.Fatal(err)
	}
	if total.summary() {
		t.Errorf("half a run is a success:\n%s", &out)
	}
}

func TestRepeatedTestCountsOnceAndFailsIfItEverDid(t *testing.T) {
	var out bytes.Buffer
	total := newTally(&out)
	for _, action := range []string{"run", "fail", "run", "pass"} {
		total.take(event{Package: "p", Test: "TestFlaky", Action: action})
		steady := strings.Replace(action, "fail", "pass", 1)
		total.take(event{Package: "p", Test: "TestSteady", Action: steady})
	}
	total.take(event{Package: "p", Action: "fail"})
	if total.summary() || total.passed != 1 || total.failed != 1 ||
		!strings.Contains(out.String(), "failed: p TestFlaky\n") {
		t.Errorf("counted otherwise:\n%s", &out)
	}
}

func TestWhatTestsMeasureIsShownThoughTheyPass(t *testing.T) {
	var out bytes.Buffer
	total := newTally(&out)
	for _, e := range []event{
		{Test: "TestA", Action: "run"},
		{Test: "TestA", Action: "output", Output: "    a_test.go:3: measured: 7 ms\n"},
		{Test: "TestA", Action: "output", Output: "    a_test.go:4: not measured: 8 ms\n"},
		{Test: "TestA", Action: "pass"},
		{Action: "pass"},
	} {
		e.Package = "p"
		total.take(e)
	}
	total.summary()
	if got := out.String(); !strings.Contains(got, "\nmeasured: 7 ms\ntests: 1 passed") {
		t.Errorf("shown otherwise:\n%s", got)
	}
}

func TestModuleThatGoRefusesIsAFailure(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	total := newTally(&bytes.Buffer{})
	if err := runModule(total, dir, []string{"./..."}); err == nil {
		t.Error("no error")
	}
}

func TestFindModulesLeavesOutWhatGoDoes(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{".", "a/b", "a/testdata/c", ".cache/d", "_e", "vendor/f"} {
		path := filepath.Join(root, dir)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "go.mod"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := findModules(root)
	if want := []string{root, filepath.Join(root, "a/b")}; err != nil || !slices.Equal(found, want) {
		t.Errorf("modules %v, %v, want %v", found, err, want)
	}
}
