package simulation

import (
	"cmp"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The streams of the app.
const (
	Led  = "led"  // single_leader
	Each = "each" // all_instances
)

// Place is where a change stands in the order of the oplog. The zero Place is before all.
type Place struct {
	Time  bson.Timestamp
	Index int // within a transaction
}

// Compare orders places.
func (p Place) Compare(q Place) int {
	return cmp.Or(p.Time.Compare(q.Time), cmp.Compare(p.Index, q.Index))
}

func (p Place) String() string { return fmt.Sprintf("%d.%d.%d", p.Time.T, p.Time.I, p.Index) }

// Moment is when something was recorded.
type Moment struct {
	N  int           // counts the records, from 1: 0 is never
	At time.Duration // since the beginning
}

// Never reports whether it did not happen.
func (m Moment) Never() bool { return m.N == 0 }

// Before reports whether m happened and was recorded before o.
func (m Moment) Before(o Moment) bool { return !m.Never() && m.N < o.N }

// Record is what happened in a run.
type Record struct {
	Schedule  Schedule
	Changes   []Change // in the order of the oplog
	Attempts  []*Attempt
	States    []State // of checkpoints, in the order of the oplog
	Leases    []Lease // in the order of the oplog
	Letters   []Letter
	Losses    []Loss
	Lives     []*Life
	Leaders   []Leaders
	Troubles  []string // of the play itself
	Disturbed []Span
	Ends      []End

	// Unpreferred is when another than one of the highest priority still led, long after nothing
	// disturbed anybody any more.
	Unpreferred Moment
}

// Change is a change of a document of the watched collection.
type Change struct {
	Place Place
	Op    string
	Key   string
	Seq   int // of the document; 0 for a deletion
	When  Moment
}

func (c Change) String() string { return fmt.Sprintf("%s of %s/%d (%s)", c.Op, c.Key, c.Seq, c.Place) }

// Outcome is how an attempt ended, as the handler knows it.
type Outcome string

// The outcomes of attempts.
const (
	Handled     Outcome = "handled"     // returned nil, or called Checkpoint
	Filtered    Outcome = "filtered"    //
	Skipped     Outcome = "skipped"     // by its own word
	Failed      Outcome = "failed"      // an error that counts
	Exhausted   Outcome = "exhausted"   // the last attempt that the policy grants failed
	Lettered    Outcome = "lettered"    // asked for a dead letter
	Deferred    Outcome = "deferred"    // asked for another attempt that does not count
	Interrupted Outcome = "interrupted" // its context had ended when it returned an error
)

// settles reports whether an attempt with this outcome lets the position pass its event without a
// dead letter.
func (o Outcome) settles() bool { return o == Handled || o == Filtered || o == Skipped }

// Attempt is one call of a handler.
type Attempt struct {
	Stream  string
	Life    *Life
	Term    int64
	Place   Place
	EventID string
	Key     string
	Seq     int // 0 where the event has no document
	Number  int // Event.Attempt
	Begun   Moment
	// Cancelled is when its context ended, Settled when the handler settled the event itself.
	// Asked is when it asked for a dead letter by SendToDLQ.
	Cancelled, Settled, Asked Moment
	Ended                     Moment // never: the incarnation died
	Outcome                   Outcome
}

func (a *Attempt) String() string {
	return fmt.Sprintf("%s: attempt %d of %s/%d (%s) by %s, term %d, at %s", a.Stream, a.Number,
		a.Key, a.Seq, a.Place, a.Life, a.Term, a.Begun.At)
}

// settled returns when the attempt settled its event, by itself or at its end.
func (a *Attempt) settled() Moment {
	if a.Settled.Never() && a.Outcome.settles() {
		return a.Ended
	}
	return a.Settled
}

// Life is one incarnation of an instance: a process.
type Life struct {
	Instance string
	Number   int
	Begun    Moment
	Died     Moment // never: it did not crash
	Ended    Moment // of Run
}

func (l *Life) String() string { return fmt.Sprintf("%s-%d", l.Instance, l.Number) }

// State is a checkpoint after an accepted write of it.
type State struct {
	Checkpoint string
	Term, Seq  int64
	Token      string // of the position, in hex; "" for none
	Passed     Place  // the last place that the position has behind it
	Kind       string
	When       Moment
}

func (s State) String() string {
	return fmt.Sprintf("position %s (%s) of %s, term %d, seq %d, at %s",
		s.Passed, s.Kind, s.Checkpoint, s.Term, s.Seq, s.When.At)
}

// Lease is a lease after an accepted write of it.
type Lease struct {
	Stream string
	Owner  string // "" after a release
	Term   int64
	Reason string // of the release
	Held   bool
	When   Moment
}

// Letter is a dead letter when it was stored.
type Letter struct {
	Stream     string
	Checkpoint string
	EventID    string
	Place      Place
	Term       int64
	Attempts   int
	When       Moment
}

// Loss says that the oplog forgot everything before a place.
type Loss struct {
	First Place
	When  Moment
}

// Span is a time in which something disturbed an instance, or all if it names none.
type Span struct {
	Instance string
	From, To time.Duration
}

// Leaders are the lives that all believed to lead when a lease was acquired.
type Leaders struct {
	Lives []string
	Term  int64 // that was acquired
	When  Moment
}

// End is what a stream showed on an instance in the end, before it was stopped.
type End struct {
	Life       string
	Checkpoint string
	State      string
	Code       string
	Reason     string
}
