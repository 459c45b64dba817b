package conformance

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// check is one statement about servers.
type check struct {
	name  string // 'area/what', stable
	needs Features
	plain bool   // it leaves nothing but documents in the collection c
	uses  string // a part of the server that one check may have at a time, such as a fail point
	run   func(*C)
}

// T is what a check may do with its test. It is not a *testing.T, so that a check that is
// expected to fail can be watched.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// C is what a check works with.
type C struct {
	T

	// Client is for all checks: nobody changes or ends it.
	Client *mongo.Client

	// DB is the check's own. It does not exist yet, and is dropped after the check.
	DB *mongo.Database

	Server Server

	// bare is like Client, but nothing is sent through it that the driver numbers. So the sessions
	// it has are new ones, or have seen no txnNumber.
	bare *mongo.Client

	ctx context.Context
	tb  testing.TB
}

// Context ends with the check. It has no deadline.
func (c *C) Context() context.Context { return c.ctx }

// Connect returns a client of the check's own.
func (c *C) Connect(opts ...*options.ClientOptions) *mongo.Client {
	return c.Server.Client(c.tb, opts...)
}

// Collection is the one that most checks work with.
func (c *C) Collection() *mongo.Collection { return c.DB.Collection("c") }

// observe runs a check and returns how it failed, or "". Its goroutine is its own, since a fatal
// failure ends it.
func observe(t *testing.T, check func(T)) string {
	w := &watched{T: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(w)
	}()
	<-done
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.failures, "\n")
}

// watched is a T that keeps the failures to itself.
type watched struct {
	T
	mu       sync.Mutex
	failures []string // guarded by mu
}

// Errorf implements [T].
func (w *watched) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, fmt.Sprintf(format, args...))
}

// Fatalf implements [T].
func (w *watched) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	runtime.Goexit()
}
