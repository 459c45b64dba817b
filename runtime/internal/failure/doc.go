// Package failure decides what becomes of an event whose attempt failed. One function, [Decide],
// decides for every kind of failure, so that a decoding error, a panic and a handler's error all
// go the same way.
//
// The order is: an interrupted attempt is no failure; the result's own word counts before what
// OnError says, which counts before the policy; a policy without attempts left ends in a dead
// letter, in a skip or in a stall.
package failure

// Kind says at which stage an attempt failed. It is stored in dead letters.
type Kind string

// The kinds, as they are stored.
const (
	Decode  Kind = "decode"
	Filter  Kind = "filter"
	Handler Kind = "handler"
	Panic   Kind = "panic"
	Timeout Kind = "timeout"
)

// Action is what an OnError wants done. The values are those of fw.ErrorAction.
type Action int

// The actions.
const (
	Rethrow Action = iota
	Retry
	Skip
	DLQ
)
