package fw

import "github.com/fwgen/fwgen/runtime/fact"

// Observer is told facts about streams: state changes, leaderships, settled events, failures.
//
// It is called from one goroutine of its own, off the event path, in the order of the facts. One
// that panics or blocks harms nothing: facts that find its queue full are counted and left out, and
// a [fact.Dropped] says how many.
type Observer interface {
	Observe(Fact)
}

// Fact is one of the types of package fact.
type Fact = fact.Fact
