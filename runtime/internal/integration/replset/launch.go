package replset

import (
	"os/exec"
	"runtime"
	"sync"
)

// starter hands commands to one goroutine that stays on one thread for ever. Linux ties "die
// with the parent" to the thread that forked, not to the process, and the Go runtime ends
// threads; this one it cannot.
var starter = sync.OnceValue(func() chan<- startRequest {
	requests := make(chan startRequest)
	go func() {
		runtime.LockOSThread()
		for request := range requests {
			request.err <- request.cmd.Start()
		}
	}()
	return requests
})

type startRequest struct {
	cmd *exec.Cmd
	err chan error
}

// launch starts cmd and waits for its end in the background.
func launch(cmd *exec.Cmd, detached bool) (*process, error) {
	cmd.SysProcAttr = processAttributes(detached)
	request := startRequest{cmd: cmd, err: make(chan error, 1)}
	starter() <- request
	if err := <-request.err; err != nil {
		return nil, err
	}
	proc := &process{cmd: cmd, exited: make(chan struct{})}
	go func() {
		proc.err = cmd.Wait()
		close(proc.exited)
	}()
	return proc, nil
}
