package childapp

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/fwgen/fwgen/runtime/internal/clock"
)

// Step is the line that steps the wall clock of a child by d.
func Step(d time.Duration) string { return "step " + d.String() }

// DieWithinDeadLetter is the line that makes a child kill itself in its next transaction of a dead
// letter, when the server has changed the checkpoint and waits for the row.
const DieWithinDeadLetter = "die within a dead letter"

// orders are what a child was told to do.
type orders struct {
	clock  clock.Stepping
	doomed atomic.Bool
	fatal  atomic.Int64 // the request whose answer is the last thing that it sees
}

// obey reads orders until the other end of standard input is gone, and exits then: a child must not
// outlive the test that started it.
func (o *orders) obey(stdin io.Reader) {
	for lines := bufio.NewScanner(stdin); lines.Scan(); {
		if step, ok := strings.CutPrefix(lines.Text(), "step "); ok {
			if d, err := time.ParseDuration(step); err == nil {
				o.clock.Step(d)
			}
		}
		if lines.Text() == DieWithinDeadLetter {
			o.doomed.Store(true)
		}
	}
	os.Exit(2)
}

// monitor watches the transactions, which only dead letters make. Their first command changes the
// checkpoint.
func (o *orders) monitor() *event.CommandMonitor {
	return &event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			if _, err := e.Command.LookupErr("startTransaction"); err == nil && o.doomed.Load() {
				o.fatal.Store(e.RequestID)
			}
		},
		Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) {
			if o.fatal.Load() == e.RequestID && o.doomed.Load() {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		},
	}
}

// dialer dials proxies where there are some.
type dialer map[string]string

// DialContext implements [options.ContextDialer].
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if proxy, ok := d[address]; ok {
		address = proxy
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}
