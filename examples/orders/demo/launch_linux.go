package main

import "syscall"

// launch keeps a Ctrl-C for the director from its children, which it stops itself. If it is killed
// they die with it.
func launch() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
