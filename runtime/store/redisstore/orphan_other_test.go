//go:build !linux

package redisstore_test

import "os/exec"

// dieWithParent does nothing here: the system can't.
func dieWithParent(*exec.Cmd) {}
