package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// supportsSnapshot reports whether the command reads with the concern "snapshot" outside of a
// transaction.
func (r *request) supportsSnapshot() bool {
	switch r.command.name {
	case "find", "aggregate", "distinct":
		return true
	}
	return false
}

// current returns the data that a command outside of a transaction reads: the latest, or with the
// concern "snapshot" what an earlier command of its session has read. Of that the session keeps
// the last one; the driver's snapshot sessions have one.
func (r *request) current() (storage.View, error) {
	latest := r.server.engine.Latest()
	if r.readConcern() != "snapshot" {
		return latest, nil
	}
	concern, _ := r.args.document("readConcern")
	at, fixed := value.Lookup(concern, "atClusterTime").(bson.Timestamp)
	switch kept := r.session.lastSnapshot(); {
	case !fixed || at == latest.At():
	case kept != nil && at == kept.At():
		latest = *kept
	default:
		return storage.View{}, mongoerr.Unsupported("a read at a cluster time other than that of " +
			"the session's last snapshot")
	}
	r.session.keepSnapshot(latest)
	r.readAt = latest.At()
	return latest, nil
}

// lastSnapshot returns what the session's last command with the concern "snapshot" has read, nil
// for nothing.
func (s *session) lastSnapshot() *storage.View {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot
}

func (s *session) keepSnapshot(view storage.View) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshot = &view
}

// timed adds the cluster time of a snapshot that the command has read.
func (r *request) timed(answer bson.D) bson.D {
	if r.readAt.IsZero() {
		return answer
	}
	return append(answer, bson.E{Key: "atClusterTime", Value: r.readAt})
}
