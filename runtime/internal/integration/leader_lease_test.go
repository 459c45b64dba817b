package integration

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
)

// X9: a hold outlives every process, and whoever comes. Once it is lifted one of them resumes.
func TestLeaderIsNobodyWhileTheStreamIsHeld(t *testing.T) {
	t.Parallel()
	p := newQuietPair(t, sharedNodes(t), quietConfig)
	p.beginBoth()
	before := p.emit(false)
	p.awaitEffectOf(before, 0)
	operator := p.operator()
	must(t, operator.Hold(t.Context(), childapp.Stream, fw.Hold{Reason: "to see nothing happen"}))
	eventually(t, patience, func() error {
		if l := lockOf(t, p.db, childapp.Stream); l.InstanceID != "" {
			return fmt.Errorf("the leader has not given its lease back: %+v", l)
		}
		return nil
	})
	for _, instance := range []string{"a", "b"} {
		p.members[instance].kill(t)
	}
	p.emitMany(20)
	for _, instance := range []string{"a", "b", "c"} {
		p.begin(instance)
		eventually(t, patience, atLeast("states that are held", 1, p.members[instance].helds))
	}
	time.Sleep(p.config.TTL + time.Second) // a stream that is not held has a leader by then
	if got := len(p.entries()); got != 1 {
		t.Errorf("%d effects, want the one from before the hold", got)
	}
	must(t, operator.Release(t.Context(), childapp.Stream))
	p.settle()
	resumed := map[journal.Incarnation]bool{}
	for _, e := range p.entries()[1:] {
		resumed[e.Incarnation()] = true
		if e.Change() == before {
			t.Errorf("%v was handled again: it was before the stored position", before)
		}
	}
	if len(resumed) != 1 {
		t.Errorf("%d leaderships after the hold, want one", len(resumed))
	}
	p.end(nil, 0)
}

// helds counts how often a process has said that its stream is held.
func (p *process) helds() int { return strings.Count(p.output.String(), "state=held") }

// operator returns an application that knows the stream and does not run.
func (p *pair) operator() *fw.App {
	p.Helper()
	app, err := fw.New(fw.Config{Client: p.deployment.Client(p), Database: p.db.Name(),
		Instance: "operator"})
	must(p, err)
	s := stream(fw.SingleLeader, &recorder{})
	s.Name = childapp.Stream
	must(p, app.Add(s))
	return app
}

// X11: all that is written to the lease are the renewals, however many stand by.
func TestStandbysThatAreIdleWriteNothing(t *testing.T) {
	t.Parallel()
	config := quietConfig
	config.Poll, config.TTL = time.Second, 6*time.Second // no lease is lost meanwhile
	p := newQuietPair(t, sharedNodes(t), config)
	p.beginBoth()
	leader, term := p.leader(0)
	p.begin("c")
	p.begin("d")
	for _, standby := range []string{other(leader), "c", "d"} {
		p.members[standby].awaitStandby(t)
	}
	oplog := p.db.Client().Database("local").Collection("oplog.rs")
	var last struct {
		TS bson.Timestamp `bson:"ts"`
	}
	must(t, oplog.FindOne(t.Context(), bson.M{}, options.FindOne().
		SetSort(bson.M{"$natural": -1})).Decode(&last))
	const heartbeats = 5 // every standby asks as often
	time.Sleep(heartbeats * p.config.Heartbeat)
	written, err := oplog.CountDocuments(t.Context(), bson.M{
		"ts": bson.M{"$gt": last.TS}, "ns": p.db.Name() + "._fw_locks", "op": bson.M{"$ne": "n"}})
	must(t, err)
	measured(t, "writes to a lease in %d heartbeats, with 3 standbys: %d", heartbeats, written)
	if written == 0 || written > heartbeats+1 {
		t.Errorf("%d writes in %d heartbeats, want one each", written, heartbeats)
	}
	if _, now := p.leader(0); now != term {
		t.Errorf("term %d leads, want %d", now, term)
	}
}

// X1: where somebody deletes the lease of a leader, two may lead for a moment. Terms go on growing
// all the same, and nothing is accepted from the one that is to go.
func TestLeaderWhoseLeaseIsDeletedGetsAGreaterTerm(t *testing.T) {
	t.Parallel()
	config := quietConfig
	config.Fenced = true
	p := newQuietPair(t, sharedNodes(t), config)
	p.letters, p.pause = 11, 40*time.Millisecond
	watch := watchState(t, p.db)
	p.beginBoth()
	p.load()
	const deletions = 4
	for n := range deletions {
		_, term := p.leader(0)
		p.awaitEffect(term - 1)
		if n == deletions-1 { // and whoever remembers the term is gone
			p.members["a"].kill(t)
			p.members["b"].kill(t)
		}
		_, err := p.db.Collection("_fw_locks").DeleteOne(t.Context(), bson.M{"_id": childapp.Stream})
		must(t, err)
		if n == deletions-1 {
			p.begin("c")
		}
		p.awaitEffect(term)
	}
	if _, term := p.leader(0); term <= deletions {
		t.Errorf("term %d after %d deletions", term, deletions)
	}
	p.end(p.settle(), deletions) // a fenced write may be journaled when its term is over
	watch.check(t)
}
