package replset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// startTimeout bounds the time from the start of a process to its "Waiting for connections".
// It takes half a second on a quiet machine.
const startTimeout = 60 * time.Second

// Node is one mongod process. Its methods may be called from any goroutine, one at a time.
type Node struct {
	// Addr is the node's host:port. It never changes.
	Addr string

	dir  string
	args []string // everything but the port
	opts *Options

	mu     sync.Mutex // guards proc
	proc   *process
	paused bool
}

// process is one life of a node.
type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed after Wait has returned
	err    error         // from Wait; read after exited
}

// errPortTaken says that somebody else was quicker; another port will do.
var errPortTaken = errors.New("port is taken")

// newNode starts a node on a free port. Between the look and the bind somebody else may take
// the port, so it tries several.
func newNode(ctx context.Context, opts *Options, dir string, args []string) (*Node, error) {
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return nil, fmt.Errorf("start mongod: %w", err)
	}
	n := &Node{dir: dir, args: args, opts: opts}
	for range 20 {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		n.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		err = n.Restart(ctx)
		if err == nil {
			return n, nil
		}
		if !errors.Is(err, errPortTaken) {
			return nil, err
		}
	}
	return nil, errors.New("start mongod: 20 ports were taken")
}

// freePort picks a port below the range that Linux uses for outgoing connections.
func freePort() (int, error) {
	for range 200 {
		port := 20000 + rand.IntN(12000)
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, listener.Close()
		}
	}
	return 0, errors.New("start mongod: no free port between 20000 and 32000")
}

// PID returns the process id, or 0 when the node is dead.
func (n *Node) PID() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.proc == nil {
		return 0
	}
	return n.proc.cmd.Process.Pid
}

// Alive reports whether the node's process runs (a paused one does).
func (n *Node) Alive() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.proc != nil && !n.proc.hasExited()
}

// LogFile returns the path of the server's log.
func (n *Node) LogFile() string { return filepath.Join(n.dir, "mongod.log") }

func (n *Node) outputFile() string { return filepath.Join(n.dir, "output") }

// Kill ends the process at once, as kill -9 does, and waits until it is gone.
func (n *Node) Kill() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.proc == nil {
		return nil
	}
	err := n.proc.cmd.Process.Kill()
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill mongod %s: %w", n.Addr, err)
	}
	<-n.proc.exited
	n.proc, n.paused = nil, false
	return nil
}

// Pause stops the process as a hanging machine would: its sockets stay open and silent. It
// returns when every thread has stopped.
func (n *Node) Pause() error {
	if err := n.signal(syscall.SIGSTOP, true); err != nil {
		return err
	}
	return awaitStopped(n.PID())
}

// Resume lets a paused process go on.
func (n *Node) Resume() error { return n.signal(syscall.SIGCONT, false) }

func (n *Node) signal(sig syscall.Signal, paused bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.proc == nil {
		return fmt.Errorf("send %s to mongod %s: it is not running", sig, n.Addr)
	}
	if err := n.proc.cmd.Process.Signal(sig); err != nil {
		return fmt.Errorf("send %s to mongod %s: %w", sig, n.Addr, err)
	}
	n.paused = paused
	return nil
}

// Restart starts the process on the same port and data, killing it before if it still runs.
// It returns when the node accepts connections.
func (n *Node) Restart(ctx context.Context) error {
	if err := n.Kill(); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := os.Remove(n.LogFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("start mongod: %w", err)
	}
	_, port, err := net.SplitHostPort(n.Addr)
	if err != nil {
		return fmt.Errorf("start mongod: %w", err)
	}
	cmd := exec.Command(n.opts.Binary, append([]string{
		"--port", port,
		"--bind_ip", "127.0.0.1",
		"--dbpath", filepath.Join(n.dir, "data"),
		"--logpath", n.LogFile(),
	}, n.args...)...)
	out, err := os.Create(n.outputFile())
	if err != nil {
		return fmt.Errorf("start mongod: %w", err)
	}
	defer func() { _ = out.Close() }() // the process has its own
	cmd.Stdout, cmd.Stderr = out, out
	proc, err := launch(cmd, n.opts.Detached)
	if err != nil {
		return fmt.Errorf("start mongod: %w", err)
	}
	if err := n.awaitListening(ctx, proc); err != nil {
		_ = cmd.Process.Kill()
		<-proc.exited
		return err
	}
	n.proc = proc
	return nil
}

// awaitListening watches the node's own log: a connection that succeeds proves less, as it
// may be to another process which took the port.
func (n *Node) awaitListening(ctx context.Context, proc *process) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		log, _ := os.ReadFile(n.LogFile())
		if bytes.Contains(log, []byte(`"Waiting for connections"`)) {
			return nil
		}
		select {
		case <-proc.exited:
			log, _ = os.ReadFile(n.LogFile())
			if bytes.Contains(log, []byte("Address already in use")) {
				return fmt.Errorf("start mongod on %s: %w", n.Addr, errPortTaken)
			}
			out, _ := os.ReadFile(n.outputFile()) // a bad argument is no matter for the log
			return fmt.Errorf("start mongod on %s: it ended (%v); its last words:\n%s%s",
				n.Addr, proc.err, tail(log, 1500), tail(out, 500))
		case <-ctx.Done():
			return fmt.Errorf("start mongod on %s: %w; its log ends with:\n%s",
				n.Addr, context.Cause(ctx), tail(log, 1500))
		case <-tick.C:
		}
	}
}

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

func tail(text []byte, size int) []byte {
	return text[max(0, len(text)-size):]
}
