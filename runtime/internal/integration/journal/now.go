package journal

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Now reads the monotonic clock of the machine. It is the same for all processes, and nobody sets
// it; only its differences mean something.
func Now() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(fmt.Sprintf("journal: no monotonic clock: %v", err)) // every system of ours has it
	}
	return time.Duration(now.Nano())
}
