//go:build !linux

package main

import "syscall"

// launch keeps a Ctrl-C for the director from its children, which it stops itself.
func launch() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
