package mongotest

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A data directory has an owner as long as somebody holds the lock on this file in it. Locks
// end with their process, whatever ends that.
const lockFile = "owner"

// claim takes a directory's lock. It fails at once when somebody has it.
func claim(dir string) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, err
	}
	return func() { _ = file.Close() }, nil
}

// sweep deletes the data directories below dir that have lost their owner. A young one may be
// about to get its owner and is left alone.
func sweep(dir string) {
	found, _ := filepath.Glob(filepath.Join(dir, directoryPattern))
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if unlock, err := claim(path); err == nil {
			_ = os.RemoveAll(path)
			unlock()
		}
	}
}
