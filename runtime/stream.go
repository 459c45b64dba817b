package fw

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Mode says on which instances of an application a stream runs.
type Mode string

const (
	// AllInstances runs the stream on every instance, each with a position of its own. The
	// default.
	AllInstances Mode = "all_instances"
	// SingleLeader runs the stream on one instance at a time, which holds its lease.
	SingleLeader Mode = "single_leader"
	// Partitioned spreads the stream over the instances. Not available yet.
	Partitioned Mode = "partitioned"
)

// Stream describes a change stream and who handles it. It is plain data: what fwgen generates, and
// what can be built by hand. In every field zero means the default; "off" and "for ever" are
// negative or a flag of their own.
type Stream struct {
	// Name identifies the stream, its lease, its position and its dead letters. It must stay the
	// same over deployments. Defaults to the collection's name.
	Name string
	// Database defaults to [Config.Database].
	Database string
	// Collections that are watched. One, in this release.
	Collections []string
	// Mode defaults to [AllInstances].
	Mode Mode
	// FullDocument is "update_lookup" (an update carries the document as it is when the server
	// looks it up) or "off". Defaults to "update_lookup" where an update can reach a handler.
	FullDocument string
	// Before asks for pre-images. Not available yet.
	Before string
	// Workers handle events at the same time. Defaults to 1; more are not available yet.
	Workers int
	// Window is the largest number of events from the oldest unsettled one to the reader.
	// Defaults to 10,000.
	Window int
	// Key is the field that orders events with several workers. Not available yet.
	Key string
	// Timeout bounds one attempt. Defaults to none.
	Timeout time.Duration
	// Exhausted says what happens to an event without attempts left on a stream without dead
	// letters: "stall" (default) or "skip".
	Exhausted string
	// Oversize and OnRename are not available yet.
	Oversize, OnRename string

	Retry      RetryPolicy
	DLQ        DLQPolicy
	Checkpoint CheckpointPolicy
	Lease      LeasePolicy
	Restart    RestartPolicy

	// Disabled streams are listed in [Status] and never run.
	Disabled bool
	// ManualStart streams wait for [App.Start].
	ManualStart bool
	// Description and Zone are for operators.
	Description, Zone string

	// Pipeline adds stages to the change stream. It is asked once per start.
	Pipeline func() mongo.Pipeline
	// Handle handles the events. Required; see [Typed].
	Handle Dispatcher
}

// FWStream returns the stream itself, so that a stream built by hand is a [Handler].
func (s Stream) FWStream() Stream { return s }
