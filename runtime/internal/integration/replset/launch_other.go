//go:build !linux

package replset

import "syscall"

// processAttributes cannot tie a server's life to ours here: after a test binary that was
// killed, its servers go on until somebody ends them.
func processAttributes(detached bool) *syscall.SysProcAttr {
	if detached {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true}
}

// awaitStopped cannot look at threads here.
func awaitStopped(int) error { return nil }
