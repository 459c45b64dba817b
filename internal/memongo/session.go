package memongo

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// session is what the server remembers of a client's session.
type session struct {
	id   string        // key of the lsid
	lsid bson.D        // as it goes into the oplog
	turn chan struct{} // held by the command of a transaction or a retryable write that runs

	// Held under turn:
	txnNumber int64               // the latest; -1 before the first
	results   map[int32]statement // of the retryable write txnNumber, by statement

	mu   sync.Mutex
	txn  *transaction // of txnNumber; nil: it is a retryable write; guarded by mu
	life context.Context
	kill context.CancelCauseFunc // guarded by mu, as life
}

// sessions are the server's sessions by their lsid.
type sessions struct {
	server *Server
	mu     sync.Mutex
	known  map[string]*session // guarded by mu
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
	}
	return found
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
func (s *sessions) interruptTransactions(why error) {
	for _, one := range s.all() {
		one.mu.Lock()
		if one.txn != nil {
			one.txn.abort(why)
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
		s.txn.abort(nil)
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

// join makes the command part of its session and transaction. The function that it returns takes
// the command's error and leaves them; it returns the error as the client is to see it.
func (r *request) join() (leave func(error) error, err error) {
	stay := func(err error) error { return err }
	if err := r.transactionFields(); err != nil {
		return nil, err
	}
	lsid, err := r.readLSID()
	if lsid == nil || err != nil {
		return stay, err
	}
	r.lsid = full(lsid)
	r.session = r.server.sessions.get(lsid)
	release := r.under(r.session.alive())
	number, ok, err := r.number()
	if err != nil {
		release()
		return nil, err
	}
	if !ok {
		return func(err error) error { release(); return err }, nil
	}
	r.txnNumber = number
	if err := r.session.take(r.ctx); err != nil {
		release()
		return nil, err
	}
	leave = func(err error) error {
		if err != nil && r.txn != nil && !mongoerr.Is(err, mongoerr.OperationNotSupportedInTxn) {
			r.session.failed(r.txn)
		}
		r.session.give()
		release()
		return err
	}
	if err := r.continues(); err != nil {
		return nil, leave(err)
	}
	return leave, nil
}

// readLSID returns the command's session, nil for none.
func (r *request) readLSID() (bson.D, error) {
	lsid, ok := r.args.document("lsid")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	if !ok {
		if _, numbered := r.args.get("txnNumber"); numbered {
			return nil, mongoerr.New(mongoerr.InvalidOptions,
				"Transaction number requires a session ID to also be specified")
		}
		return nil, nil
	}
	a := newArgs("OperationSessionInfo.lsid", lsid)
	a.only("id", "uid", "txnNumber", "txnUUID")
	id := a.require("id")
	if binary, ok := id.(bson.Binary); a.failed() == nil && (!ok || binary.Subtype != 4) {
		a.wrongType("id", id, "binData")
	}
	return lsid, a.failed()
}

// number returns the command's txnNumber, if it has one.
func (r *request) number() (int64, bool, error) {
	v, ok := r.args.get("txnNumber")
	if !ok {
		return 0, false, nil
	}
	number, isLong := v.(int64)
	switch {
	case !isLong:
		a := newArgs("OperationSessionInfo", nil)
		a.wrongType("txnNumber", v, "long")
		return 0, false, a.failed()
	case number < 0:
		return 0, false, mongoerr.New(mongoerr.InvalidOptions,
			"Transaction number cannot be negative")
	}
	return number, true, nil
}

// continues finds out what the command's txnNumber makes of it.
func (r *request) continues() error {
	switch {
	case r.inTransaction():
		return r.joinTransaction()
	case !r.command.is(retryable):
		return mongoerr.New(50768, "txnNumber may only be provided for multi-document "+
			"transactions and retryable write commands. autocommit:false was not provided, and "+
			"%s is not a retryable write command.", r.command.name)
	}
	return r.joinRetryable()
}

func sessionCommands() []*command {
	return []*command{
		{name: "startSession", run: startSession},
		{name: "refreshSessions", run: refreshSessions},
		{name: "endSessions", run: endSessions},
		{name: "killSessions", run: killSessions},
		{name: "killAllSessions", run: killAllSessions},
		{name: "commitTransaction", fields: "recoveryToken", traits: writes | transactional | adminOnly,
			run: commitTransaction},
		{name: "abortTransaction", fields: "recoveryToken", traits: writes | transactional | adminOnly,
			run: abortTransaction},
	}
}

func startSession(r *request) (bson.D, error) {
	id := uuid()
	r.server.sessions.get(bson.D{{Key: "id", Value: id}})
	return bson.D{
		{Key: "id", Value: bson.D{{Key: "id", Value: id}}},
		{Key: "timeoutMinutes", Value: int32(sessionMinutes)},
	}, nil
}

func refreshSessions(r *request) (bson.D, error) {
	for _, lsid := range r.args.documents(r.name) {
		r.server.sessions.get(lsid)
	}
	return bson.D{}, nil
}

func endSessions(r *request) (bson.D, error) {
	for _, lsid := range r.args.documents(r.name) {
		if id := value.Lookup(lsid, "id"); value.TypeName(id) != "binData" {
			r.args.wrongType("endSessionsFromClient.id", id, "binData")
			return nil, r.args.failed()
		}
		r.server.sessions.forget(lsid)
	}
	return bson.D{}, nil
}

func killSessions(r *request) (bson.D, error) {
	list := r.args.documents(r.name)
	if len(list) == 0 && r.args.failed() == nil {
		return killAllSessions(r)
	}
	for _, lsid := range list {
		if found := r.server.sessions.find(lsid); found != nil {
			found.end(errSessionKilled())
			r.server.cursors.killOf(found)
		}
	}
	return bson.D{}, nil
}

func killAllSessions(r *request) (bson.D, error) {
	for _, found := range r.server.sessions.all() {
		if found != r.session {
			found.end(errSessionKilled())
			r.server.cursors.killOf(found)
		}
	}
	return bson.D{}, nil
}
