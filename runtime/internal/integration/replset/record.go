package replset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// recordFile is where a detached deployment is written down, in its directory.
const recordFile = "replset.json"

// Record is what a later process needs to know of detached servers.
type Record struct {
	URI   string       `json:"uri"`
	Nodes []RecordNode `json:"nodes"`
}

// RecordNode is one process of a Record.
type RecordNode struct {
	Addr string `json:"addr"`
	PID  int    `json:"pid"`
	Dir  string `json:"dir"`
}

// Record returns the record of a running set.
func (s *Set) Record() Record {
	r := Record{URI: s.URI()}
	for _, n := range s.Nodes {
		r.Nodes = append(r.Nodes, RecordNode{Addr: n.Addr, PID: n.PID(), Dir: n.dir})
	}
	return r
}

// Write stores the record in dir.
func (r Record) Write(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, recordFile), text, 0o600); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// ReadRecord reads the record in dir. Where there is none the error is os.ErrNotExist.
func ReadRecord(dir string) (Record, error) {
	var r Record
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if err != nil {
		return r, fmt.Errorf("read record: %w", err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("read record %s: %w", filepath.Join(dir, recordFile), err)
	}
	return r, nil
}

// Alive reports whether all its processes run.
func (r Record) Alive() bool {
	for _, n := range r.Nodes {
		if !n.alive() {
			return false
		}
	}
	return true
}

// Remove kills what still runs and deletes the nodes' folders and the record. Nothing else
// in dir is touched.
func (r Record) Remove(dir string) error {
	var errs []error
	for _, n := range r.Nodes {
		if err := n.end(); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, os.RemoveAll(n.Dir))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, name := range []string{"key", recordFile} {
		err := os.Remove(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(dir) // only when nothing else is in it
	return nil
}

// alive reports whether the process is there and still the one that was recorded: process
// ids are used again.
func (n RecordNode) alive() bool {
	command, err := os.ReadFile("/proc/" + strconv.Itoa(n.PID) + "/cmdline")
	if errors.Is(err, os.ErrNotExist) {
		command, _ = exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(n.PID)).Output()
	}
	return bytes.Contains(command, []byte(filepath.Join(n.Dir, "data")))
}

// end kills the process and waits until it is gone.
func (n RecordNode) end() error {
	if !n.alive() {
		return nil
	}
	if err := syscall.Kill(n.PID, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		return fmt.Errorf("kill mongod %s: %w", n.Addr, err)
	}
	for range 1000 {
		if !n.alive() {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("kill mongod %s: process %d is still there", n.Addr, n.PID)
}
