package mongotest_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// orphanVariable makes the test below the child of itself.
const orphanVariable = "FW_TEST_ORPHAN"

func TestServersDieWithAKilledTestBinary(t *testing.T) {
	if os.Getenv(orphanVariable) != "" {
		d := mongotest.Start(t, mongotest.Needs{Kill: true})
		fmt.Println("server", d.Nodes(t)[0].PID())
		select {}
	}
	mongotest.Start(t, mongotest.Needs{Kill: true}) // skips where the child could not start one
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), orphanVariable+"=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	server := ""
	for lines := bufio.NewScanner(out); server == "" && lines.Scan(); {
		if pid, found := strings.CutPrefix(lines.Text(), "server "); found {
			server = pid
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if _, err := strconv.Atoi(server); err != nil {
		t.Fatalf("the child started no server: %q", server)
	}
	for deadline := time.Now().Add(10 * time.Second); running(server); {
		if time.Now().After(deadline) {
			t.Fatalf("server %s lives on", server)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// running reports whether a process is there and no zombie.
func running(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}
