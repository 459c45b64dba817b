package redisstore_test

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes a process end with this one, also where that is killed.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
