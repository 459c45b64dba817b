package integration

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a process that a test started. It does not outlive the test.
type process struct {
	name   string
	cmd    *exec.Cmd
	input  io.Writer
	output lockedBuffer
	exited chan struct{} // closed after the process is gone
}

// launch starts a process. What it writes is shown if the test fails.
func launch(t testing.TB, name string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{name: name, cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	input, err := cmd.StdinPipe()
	must(t, err)
	p.input = input
	must(t, cmd.Start())
	go func() {
		_ = cmd.Wait() // the code is looked at in awaitExit
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("process %s wrote:\n%s", p.name, p.output.String())
		}
	})
	return p
}

func (p *process) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		t.Fatalf("send %s to process %s: %v", sig, p.name, err)
	}
}

// kill ends the process at once.
func (p *process) kill(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGKILL)
	<-p.exited
}

// awaitExit waits until the process ended by itself, with exit code 0.
func (p *process) awaitExit(t testing.TB, within time.Duration) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(within):
		p.signal(t, syscall.SIGQUIT) // it writes what its goroutines do
		<-p.exited
		t.Fatalf("process %s still ran after %s", p.name, within)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("process %s ended with code %d", p.name, code)
	}
}

func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// lockedBuffer takes the output of a process while a test reads it.
type lockedBuffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// tell passes the process a line, see package childapp for what it obeys.
func (p *process) tell(t testing.TB, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(p.input, line); err != nil {
		t.Fatalf("tell process %s to %s: %v", p.name, line, err)
	}
}

// awaitStandby waits until a process that has just begun has said that it stands by.
func (p *process) awaitStandby(t testing.TB) {
	t.Helper()
	eventually(t, patience, atLeast("standbys of process "+p.name, 1, p.standbys))
}

// standbys counts how often a process has said that it stands by.
func (p *process) standbys() int { return strings.Count(p.output.String(), "state=standby") }
