package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goRun runs the command of the README where no server is, and returns what it printed and whether
// its exit code was 0.
func goRun(t *testing.T, env ...string) (said string, ok bool) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "./examples/orders")
	cmd.Dir, cmd.Env = root, append(os.Environ(), append(env, "MONGODB_URI=")...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.Success()
}

func TestGoRunNeedsNoServer(t *testing.T) {
	t.Parallel()
	said, ok := goRun(t)
	for _, part := range []string{
		"test double", "again in", "is a dead letter", "The next morning", "orders lost",
		"The first order was billed", "All as promised",
	} {
		if !strings.Contains(said, part) {
			t.Errorf("the program does not say %q", part)
		}
	}
	if !ok || t.Failed() {
		t.Errorf("go run ./examples/orders said\n%s", said)
	}
}

func TestLostOrderIsAnExitCode(t *testing.T) {
	t.Parallel()
	said, ok := goRun(t, "ORDERS_DEMO_FAULT=day")
	if ok || !strings.Contains(said, "orders: wrong: orders billed; orders lost") {
		t.Errorf("exit code 0 is %v after\n%s", ok, said)
	}
}
