package memongo

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// session is what the server remembers of a client's session.
type session struct {
	id   string        // key of the lsid
	lsid bson.D        // as it goes into the oplog
	turn chan struct{} // held by the command of a transaction or a retryable write that runs
	used time.Time     // when a command last named it; guarded by sessions.mu

	// Held under turn:
	txnNumber int64            // the latest; -1 before the first
	results   map[int32]bson.D // of the retryable write txnNumber, by statement: what answers again

	mu   sync.Mutex
	txn  *transaction // of txnNumber; nil: it is a retryable write; guarded by mu
	life context.Context
	// snapshot is what the last read with that concern has seen outside of a transaction; nil
	// before it; guarded by mu.
	snapshot *storage.View
	kill     context.CancelCauseFunc // guarded by mu, as life
}

// sessions are the server's sessions by their lsid.
type sessions struct {
	server *Server
	mu     sync.Mutex
	known  map[string]*session // guarded by mu
	looked time.Time           // when expired ones were last dropped; guarded by mu
}

func newSessions(s *Server) *sessions {
	return &sessions{server: s, known: make(map[string]*session)}
}

// get returns the session of an lsid, a new one if it is not known.
func (s *sessions) get(lsid bson.D) *session {
	key := value.Key(value.Lookup(lsid, "id"))
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.known[key]
	if !ok {
		found = &session{id: key, lsid: full(lsid), turn: make(chan struct{}, 1), txnNumber: -1}
		found.life, found.kill = context.WithCancelCause(context.Background())
		s.known[key] = found
		s.expire()
	}
	found.used = time.Now()
	return found
}

// expire drops the sessions that nobody has used for as long as clients are told. The caller holds
// mu. It looks when a new one comes, so that their number is bounded by what is used.
func (s *sessions) expire() {
	now := time.Now()
	if now.Before(s.looked.Add(time.Minute)) {
		return
	}
	s.looked = now
	for key, one := range s.known {
		if now.Sub(one.used) > sessionMinutes*time.Minute && !one.busy() && !one.used.IsZero() {
			delete(s.known, key)
		}
	}
}

// find returns the session of an lsid, or nil.
func (s *sessions) find(lsid bson.D) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[value.Key(value.Lookup(lsid, "id"))]
}

// all returns the sessions that are known.
func (s *sessions) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*session, 0, len(s.known))
	for _, one := range s.known {
		list = append(list, one)
	}
	return list
}

// forget drops a session that its client does not use any more. One with an open transaction
// stays: the transaction can still be committed.
func (s *sessions) forget(lsid bson.D) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := value.Key(value.Lookup(lsid, "id"))
	if found := s.known[key]; found != nil && !found.busy() {
		delete(s.known, key)
	}
}

// close ends what sessions have open.
func (s *sessions) close() {
	for _, one := range s.all() {
		one.end(errClosed)
	}
}

// interruptTransactions aborts the transactions of all sessions, as a step-down does.
func (s *sessions) interruptTransactions() {
	for _, one := range s.all() {
		one.mu.Lock()
		if one.txn != nil {
			one.txn.abort()
		}
		one.mu.Unlock()
	}
}

func errSessionKilled() error {
	return mongoerr.New(mongoerr.Interrupted, "operation was interrupted")
}

// end aborts the session's transaction and interrupts its commands.
func (s *session) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill(why)
	s.life, s.kill = context.WithCancelCause(context.Background())
	if s.txn != nil {
		s.txn.abort()
	}
}

func (s *session) alive() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.life
}

// take waits for the session's turn.
func (s *session) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *session) give() { <-s.turn }

// busy reports whether the session has an open transaction.
func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.txn != nil && !s.txn.committed && !s.txn.aborted
}

// same reports whether two sessions have one lsid. A session that its client has ended is known
// under it again by another object.
func (s *session) same(other *session) bool {
	if s == nil || other == nil {
		return s == other
	}
	return s.id == other.id
}

// String is how errors name a session.
func (s *session) String() string {
	if s == nil {
		return "none"
	}
	id, _ := value.Lookup(s.lsid, "id").(bson.Binary)
	user, _ := value.Lookup(s.lsid, "uid").(bson.Binary)
	return fmt.Sprintf("%x-%x-%x-%x-%x - %s -  - ", id.Data[:4], id.Data[4:6], id.Data[6:8],
		id.Data[8:10], id.Data[10:], base64.StdEncoding.EncodeToString(user.Data))
}

// full is an lsid with the user whose it is.
func full(lsid bson.D) bson.D {
	return bson.D{{Key: "id", Value: value.Lookup(lsid, "id")}, {Key: "uid", Value: nobody()}}
}

// nobody identifies the user of a session without one.
func nobody() bson.Binary {
	none := sha256.Sum256(nil)
	return bson.Binary{Data: none[:]}
}
