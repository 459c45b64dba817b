// Command testcount runs the tests of every module below the working directory and counts them.
//
//	go run ./scripts/testcount [-only DIR] -- [flags and packages of go test]
//
// It prints a line for every package as that ends, the output of what failed, and at the end
// the lines "measured: …" that tests have logged, the skipped tests with their reasons, the failed
// tests, and
//
//	tests: N passed, K failed, M skipped
//
// What counts is a test without subtests, or one that failed although no subtest of it did.
// A package that does not build, or fails outside its tests, counts as one failed test. The
// command exits with 1 when something failed and also when no test ran at all: such a run
// proves nothing.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	only := flag.String("only", "", "run the module in this directory alone")
	flag.Parse()
	modules := []string{*only}
	if *only == "" {
		var err error
		if modules, err = findModules("."); err != nil {
			fmt.Fprintln(os.Stderr, "testcount:", err)
			os.Exit(2)
		}
	}
	args := flag.Args()
	if len(args) == 0 {
		args = []string{"./..."}
	}
	total := newTally(os.Stdout)
	for _, dir := range modules {
		fmt.Printf("module %s: go test %s\n", filepath.ToSlash(dir), strings.Join(args, " "))
		if err := runModule(total, dir, args); err != nil {
			total.failOutside(dir, err.Error())
		}
	}
	if !total.summary() {
		os.Exit(1)
	}
}

// findModules returns the directories with a go.mod that "go test ./..." of the module around
// them leaves out, and the root itself, sorted.
func findModules(root string) (dirs []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if !entry.IsDir() {
			if name == "go.mod" {
				dirs = append(dirs, filepath.Dir(path))
			}
			return nil
		}
		hidden := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
		if path != root && (hidden || name == "testdata" || name == "vendor") {
			return filepath.SkipDir
		}
		return nil
	})
	slices.Sort(dirs) // a module before those inside it
	return dirs, err
}

// runModule runs go test in dir and feeds its events into the tally. Exit code 1 is no error
// where the tally already knows of a failure.
func runModule(t *tally, dir string, args []string) error {
	failedBefore := t.failed
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := t.read(events)
	_, _ = io.Copy(io.Discard, events)
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && t.failed > failedBefore {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("go test: %w", err)
	}
	return errors.Join(readErr, err)
}
