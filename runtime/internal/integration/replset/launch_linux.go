package replset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// processAttributes puts the server into a group of its own, so that a Ctrl-C for the tests
// does not reach it before the tests have cleaned up.
func processAttributes(detached bool) *syscall.SysProcAttr {
	if detached {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitStopped waits until all threads of a process have taken the SIGSTOP that was sent.
func awaitStopped(pid int) error {
	for range 1000 {
		if allStopped(pid) {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("pause process %d: its threads go on", pid)
}

// allStopped looks for a thread whose state, the first word behind the command's name in
// parentheses, is not T.
func allStopped(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		end := bytes.LastIndexByte(stat, ')')
		if err == nil && !bytes.HasPrefix(stat[end+1:], []byte(" T")) {
			return false
		}
	}
	return len(threads) > 0
}
