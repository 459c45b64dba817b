package conformance

import (
	"context"
	"net"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Server is what the suite is run against.
type Server struct {
	// Name is for messages.
	Name string

	// Client returns a connected client that is disconnected when the test ends.
	Client func(t testing.TB, opts ...*options.ClientOptions) *mongo.Client

	// Has is what the server has of what not every one has.
	Has Features

	// Only restricts the run to checks that need one of these features. The zero value runs all.
	Only Features

	// Dial returns a connection to the server that nothing was sent on. Needed by Has.Wire.
	Dial func(ctx context.Context) (net.Conn, error)

	// Own starts a server for one check, which it may disturb. A transaction may be open for one
	// second there. Needed by Has.Own.
	Own func(t testing.TB) Own

	// Differences are the checks that fail here and are meant to, each with the reason.
	Differences map[string]string
}

// Own is a server that one check has for itself.
type Own struct {
	// Client returns a connected client that is disconnected when the test ends.
	Client func(t testing.TB, opts ...*options.ClientOptions) *mongo.Client

	// RollOver makes the oplog forget what is in it. Afterwards every cluster time up to now is
	// older than its beginning.
	RollOver func(t testing.TB)
}

// Features are what a server may lack without being wrong.
type Features struct {
	TestCommands bool // configureFailPoint
	Split        bool // the stage $changeStreamSplitLargeEvent
	TTLMonitor   bool // the parameter ttlMonitorSleepSecs, and that documents expire
	Views        bool // collections that are a pipeline on another
	Capped       bool // collections of a fixed size
	Validators   bool // collections that refuse documents
	Expanded     bool // the option showExpandedEvents
	Wire         bool // Server.Dial
	Own          bool // Server.Own
}

// entries names the features, for messages and so that two sets can be compared.
func (f Features) entries() map[string]bool {
	return map[string]bool{
		"test commands":     f.TestCommands,
		"split stage":       f.Split,
		"TTL monitor":       f.TTLMonitor,
		"views":             f.Views,
		"capped collection": f.Capped,
		"validators":        f.Validators,
		"expanded events":   f.Expanded,
		"bare connections":  f.Wire,
		"server to disturb": f.Own,
	}
}

// lack returns a feature of needs that is not in f, or "".
func (f Features) lack(needs Features) string {
	has := f.entries()
	for name, needed := range needs.entries() {
		if needed && !has[name] {
			return name
		}
	}
	return ""
}

// overlap reports whether the two have a feature in common.
func (f Features) overlap(other Features) bool {
	has := f.entries()
	for name, there := range other.entries() {
		if there && has[name] {
			return true
		}
	}
	return false
}
