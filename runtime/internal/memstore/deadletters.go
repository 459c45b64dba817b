package memstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/fwgen/fwgen/runtime/internal/mongostore/letter"
	"github.com/fwgen/fwgen/runtime/store"
)

// DeadLetters is a [store.DeadLetterWriter] in memory, with faults that a test injects. Its rows
// are those that MongoDB would have.
type DeadLetters struct {
	faults
	checkpoints *Checkpoints

	mu   sync.Mutex // guards rows
	rows map[string][]*row
}

// row is a stored dead letter.
type row struct {
	id       string
	letter   store.DeadLetter
	content  bson.Raw
	status   letter.Status
	created  time.Time
	expires  time.Time // zero: never
	attempts []bson.Raw
}

var _ store.DeadLetterWriter = (*DeadLetters)(nil)

// NewDeadLetters returns an empty store whose writes are fenced by checkpoints.
func NewDeadLetters(checkpoints *Checkpoints) *DeadLetters {
	return &DeadLetters{checkpoints: checkpoints, rows: make(map[string][]*row)}
}

// Prepare implements [store.DeadLetterWriter].
func (s *DeadLetters) Prepare(ctx context.Context, _ string) error { return ctx.Err() }

// Write implements [store.DeadLetterWriter].
func (s *DeadLetters) Write(
	ctx context.Context, fence store.Fence, l store.DeadLetter,
) error {
	laidOut := letter.New(l)
	call := Call{Method: Write, Stream: fence.Checkpoint, Owner: l.InstanceID, Term: fence.Term}
	return s.through(ctx, call, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.checkpoints.fence(fence); err != nil {
			return err
		}
		r := s.find(l.Collection, l.ID)
		if r == nil {
			r = &row{id: l.ID, status: letter.Pending, created: time.Now()}
			s.rows[l.Collection] = append(s.rows[l.Collection], r)
		}
		r.add(l, laidOut)
		return nil
	})
}

// add adds an attempt, or all of them to a new row, and replaces the content while the row is
// pending.
func (r *row) add(l store.DeadLetter, laidOut letter.Row) {
	if len(r.attempts) == 0 {
		r.attempts = laidOut.Earlier
	}
	if n := len(r.attempts); n == 0 || !slices.Equal(r.attempts[n-1], laidOut.Attempt) {
		r.attempts = append(r.attempts, laidOut.Attempt)
		r.attempts = r.attempts[max(0, len(r.attempts)-letter.HistoryLength):]
	}
	if r.status != letter.Pending {
		return
	}
	r.letter, r.content, r.expires = l, laidOut.Content, time.Time{}
	if l.Retention > 0 {
		r.expires = time.Now().Add(l.Retention)
	}
}

// Letters returns the dead letters of a collection in the order of their creation, as they were
// last written.
func (s *DeadLetters) Letters(collection string) []store.DeadLetter {
	s.mu.Lock()
	defer s.mu.Unlock()
	var letters []store.DeadLetter
	for _, r := range s.rows[collection] {
		letters = append(letters, r.letter)
	}
	return letters
}

// Row returns a dead letter as it is stored, or nil.
func (s *DeadLetters) Row(collection, id string) bson.Raw {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.find(collection, id); r != nil {
		return r.document()
	}
	return nil
}

// SetStatus changes the status of a dead letter, as an operator does.
func (s *DeadLetters) SetStatus(collection, id string, status letter.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.find(collection, id); r != nil {
		r.status = status
	}
}

// find returns a row or nil. The caller holds mu.
func (s *DeadLetters) find(collection, id string) *row {
	for _, r := range s.rows[collection] {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (r *row) document() bson.Raw {
	at, dst := bsoncore.AppendDocumentStart(nil)
	dst = bsoncore.AppendStringElement(dst, "_id", r.id)
	dst = append(dst, r.content[4:len(r.content)-1]...)
	dst = bsoncore.AppendStringElement(dst, "status", string(r.status))
	dst = bsoncore.AppendDateTimeElement(dst, "createdAt", r.created.UnixMilli())
	if r.expires.IsZero() {
		dst = bsoncore.AppendNullElement(dst, "expiresAt")
	} else {
		dst = bsoncore.AppendDateTimeElement(dst, "expiresAt", r.expires.UnixMilli())
	}
	history := bsoncore.NewArrayBuilder()
	for _, attempt := range r.attempts {
		history.AppendDocument(bsoncore.Document(attempt))
	}
	dst = bsoncore.AppendArrayElement(dst, "history", history.Build())
	dst, _ = bsoncore.AppendDocumentEnd(dst, at)
	return dst
}
