package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
)

// demoLimit is how long the demo may take, its servers included.
const demoLimit = 90 * time.Second

// The command of the README, with servers of its own.
func TestMakeDemo(t *testing.T) {
	t.Parallel()
	needBinary(t)
	cmd := exec.Command("make", "--no-print-directory", "demo")
	demo := launchDemo(t, cmd, "")
	began := time.Now()
	demo.awaitExit(t, demoLimit+time.Minute) // the minute to build
	t.Logf("make demo took %s:\n%s", time.Since(began).Round(time.Second), demo.output.String())
	wantInTurn(t, demo,
		"Part 1 of 2", "a test double", "is a dead letter", "The first order was billed",
		"All as promised",
		"Part 2 of 2, on real servers", "three nodes of MongoDB are up", "SIGKILL", "term 3",
		"All as promised")
}

// wantInTurn checks that a process wrote the parts, each after the one before.
func wantInTurn(t *testing.T, p *process, parts ...string) {
	t.Helper()
	rest := p.output.String()
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("%s did not write %q, or too early", p.name, part)
		}
		rest = after
	}
}

// A wrong count of the first part ends the demo.
func TestDemoFailsWhenTheDayLosesABill(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(buildDemo(t), "-server", "/no/such/script")
	cmd.Env = append(os.Environ(), "ORDERS_DEMO_FAULT=day")
	demo := launchDemo(t, cmd, "")
	wantExit(t, demo, 1)
	wantInTurn(t, demo, "Part 1 of 2", "WRONG", "the day in one process")
	if strings.Contains(demo.output.String(), "Part 2 of 2") {
		t.Error("the demo went on")
	}
}

// Ctrl-C reaches the process that plays the first part.
func TestDemoIsInterruptedInItsFirstPart(t *testing.T) {
	t.Parallel()
	demo := launchDemo(t, exec.Command(buildDemo(t), "-server", "/no/such/script"), "")
	eventually(t, patience, func() error {
		if !strings.Contains(demo.output.String(), "is billed") {
			return fmt.Errorf("nothing is billed yet")
		}
		return nil
	})
	demo.signal(t, os.Interrupt.(syscall.Signal))
	wantExit(t, demo, 130)
	wantInTurn(t, demo, "Part 1 of 2", "interrupted; everything is cleaned up")
	if strings.Contains(demo.output.String(), "Part 2 of 2") {
		t.Error("the demo went on")
	}
}

// A wrong count is an exit code.
func TestDemoFailsWhenACountIsWrong(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 3})
	cmd := exec.Command(buildDemo(t))
	cmd.Env = append(os.Environ(), "ORDERS_DEMO_FAULT=bill")
	demo := launchDemo(t, cmd, d.URI)
	began := time.Now()
	wantExit(t, demo, 1)
	if took := time.Since(began); took > demoLimit {
		t.Errorf("it took %s, want at most %s", took, demoLimit)
	}
	wantInTurn(t, demo, "All as promised", "using the servers of MONGODB_URI", "WRONG",
		"wrong: orders billed")
	wantDropped(t, d, demo)
}

func TestDemoFailsWhenAProcessDies(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 3})
	demo := launchDemo(t, exec.Command(buildDemo(t)), d.URI)
	children := awaitChildren(t, demo)
	must(t, syscall.Kill(children[0], syscall.SIGKILL))
	wantExit(t, demo, 1)
	wantOutput(t, demo, "ended by itself", "it wrote:")
	wantGone(t, children)
	wantDropped(t, d, demo)
}

// Ctrl-C leaves no process and no data behind.
func TestInterruptedDemoCleansUp(t *testing.T) {
	t.Parallel()
	needBinary(t)
	temp := t.TempDir()
	cmd := exec.Command(buildDemo(t))
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	demo := launchDemo(t, cmd, "")
	children := awaitChildren(t, demo)
	servers, err := filepath.Glob(filepath.Join(temp, "*"))
	must(t, err)
	if len(servers) != 1 {
		t.Fatalf("%d directories of servers, want 1: %v", len(servers), servers)
	}
	record, err := replset.ReadRecord(servers[0])
	must(t, err)
	for _, node := range record.Nodes {
		children = append(children, node.PID)
	}
	demo.signal(t, os.Interrupt.(syscall.Signal))
	wantExit(t, demo, 130)
	wantOutput(t, demo, "interrupted; everything is cleaned up")
	wantGone(t, children)
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// needBinary skips or fails a test where scripts/mongod has no server that it could start.
func needBinary(t *testing.T) {
	t.Helper()
	if _, err := replset.FindBinary(); err != nil {
		if os.Getenv(mongotest.RequireVariable) == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// buildDemo builds the example and its director, and returns the path of the latter.
func buildDemo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-race", "-o", dir+"/", "./examples/orders",
		"./examples/orders/demo")
	build.Dir = repository(t)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the demo: %v\n%s", err, said)
	}
	return filepath.Join(dir, "demo")
}

func repository(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	must(t, err)
	return root
}

// launchDemo starts a demo in the repository's root, on the servers of a URI or on its own.
func launchDemo(t *testing.T, cmd *exec.Cmd, uri string) *process {
	t.Helper()
	cmd.Dir = repository(t)
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(withoutMake(cmd.Env), "MONGODB_URI="+uri)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return launch(t, "demo", cmd)
}

// withoutMake removes what a make hands down to the commands it runs.
func withoutMake(env []string) (kept []string) {
	for _, variable := range env {
		if !regexp.MustCompile(`^(MAKE|MFLAGS|GNUMAKE)`).MatchString(variable) {
			kept = append(kept, variable)
		}
	}
	return kept
}

var child = regexp.MustCompile(`starts, process (\d+)`)

// awaitChildren waits until somebody stands by, and returns the processes of the example.
func awaitChildren(t *testing.T, demo *process) (pids []int) {
	t.Helper()
	eventually(t, 2*patience, func() error {
		if !strings.Contains(demo.output.String(), "stands by") {
			return fmt.Errorf("nobody stands by")
		}
		return nil
	})
	for _, match := range child.FindAllStringSubmatch(demo.output.String(), -1) {
		pid, err := strconv.Atoi(match[1])
		must(t, err)
		pids = append(pids, pid)
	}
	if len(pids) != 2 {
		t.Fatalf("%d processes, want 2", len(pids))
	}
	return pids
}

func wantExit(t *testing.T, p *process, code int) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(demoLimit):
		t.Fatalf("%s still runs after %s", p.name, demoLimit)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s ended with code %d, want %d", p.name, got, code)
	}
}

func wantOutput(t *testing.T, p *process, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(p.output.String(), part) {
			t.Errorf("%s did not write %q", p.name, part)
		}
	}
}

// wantGone checks that none of the processes runs any more.
func wantGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		eventually(t, patience, func() error { // one of another parent is there until that looks
			if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
				return fmt.Errorf("process %d is there (%v)", pid, err)
			}
			return nil
		})
	}
}

var database = regexp.MustCompile(`in the database (\w+)`)

// wantDropped checks that the demo's database is gone.
func wantDropped(t *testing.T, d *mongotest.Deployment, demo *process) {
	t.Helper()
	match := database.FindStringSubmatch(demo.output.String())
	if match == nil {
		t.Fatal("the demo did not name its database")
	}
	names, err := d.Client(t).ListDatabaseNames(t.Context(), bson.M{"name": match[1]})
	if err != nil || len(names) > 0 {
		t.Errorf("left behind: %v (%v)", names, err)
	}
}
