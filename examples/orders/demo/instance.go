package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// instance is a process of the example.
type instance struct {
	name   string
	cmd    *exec.Cmd
	log    log
	wanted atomic.Bool   // it was told to end
	exited chan struct{} // closed after the process is gone
}

// begin starts an instance. If it ends without having been told to, that fails the story.
func (s *story) begin(name string) error {
	i := &instance{name: name, exited: make(chan struct{})}
	i.cmd = exec.Command(s.app, "-lease", ttl.String())
	i.cmd.Env = append(os.Environ(),
		"MONGODB_URI="+s.uri, "DATABASE="+s.DB.Name(), "FW_INSTANCE="+name)
	i.cmd.Stdout, i.cmd.Stderr = &i.log, &i.log
	i.cmd.SysProcAttr = launch()
	if err := i.cmd.Start(); err != nil {
		return fmt.Errorf("start instance %s: %w", name, err)
	}
	s.members[name] = i
	go func() {
		err := i.cmd.Wait()
		if !i.wanted.Load() {
			s.fail(fmt.Errorf("instance %s ended by itself (%w); it wrote:\n%s", name, err, &i.log))
		}
		close(i.exited)
	}()
	return nil
}

// kill ends the process as a crash would, and waits until it is gone.
func (i *instance) kill() {
	i.wanted.Store(true)
	_ = i.cmd.Process.Kill() // it may be gone
	<-i.exited
}

// stop asks the process to stop and waits until it has.
func (i *instance) stop(ctx context.Context) error {
	i.wanted.Store(true)
	if err := i.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop instance %s: %w", i.name, err)
	}
	select {
	case <-i.exited:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if code := i.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("instance %s ended with code %d; it wrote:\n%s", i.name, code, &i.log)
	}
	return nil
}

// log keeps what an instance writes.
type log struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// line is a line of an instance's log, of which the parts that the story tells.
type line struct {
	Time    time.Time     `json:"time"`
	Message string        `json:"msg"`
	State   string        `json:"state"`
	Event   string        `json:"event"`
	Attempt int           `json:"attempt"`
	Error   string        `json:"error"`
	Retry   time.Duration `json:"retry"`
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// lines returns the lines that are complete.
func (l *log) lines() (lines []line) {
	for text := range bytes.Lines([]byte(l.String())) {
		var parsed line
		if json.Unmarshal(text, &parsed) == nil {
			lines = append(lines, parsed)
		}
	}
	return lines
}

// standsBy reports whether the instance said so.
func (i *instance) standsBy() bool {
	for _, l := range i.log.lines() {
		if l.Message == "stream state" && l.State == "standby" {
			return true
		}
	}
	return false
}
