//go:build unix

package main

import "runtime"

// maxrssUnit is what getrusage counts the peak of memory in.
var maxrssUnit = func() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}()
