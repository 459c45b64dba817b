package memstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// The methods of [store.Checkpoints] and [store.DeadLetterWriter]. The Stream of their calls is the
// id of the checkpoint.
const (
	Raise Method = "Raise"
	Mint  Method = "Mint"
	Save  Method = "Save"
	Write Method = "Write"
)

// Checkpoints is a [store.Checkpoints] in memory, with faults that a test injects. It works in a
// testing/synctest bubble.
type Checkpoints struct {
	faults

	mu    sync.Mutex // guards everything below
	at    map[string]*checkpoint
	saves []store.Save
}

// checkpoint is the stored document.
type checkpoint struct {
	state   store.Checkpoint
	fence   int64
	expires time.Time // zero: never
}

var _ store.Checkpoints = (*Checkpoints)(nil)

// NewCheckpoints returns an empty store.
func NewCheckpoints() *Checkpoints {
	return &Checkpoints{at: make(map[string]*checkpoint)}
}

// Raise implements [store.Checkpoints].
func (s *Checkpoints) Raise(
	ctx context.Context, id string, term int64,
) (before store.Checkpoint, err error) {
	return answered(ctx, &s.faults, Call{Method: Raise, Stream: id, Term: term},
		func() (store.Checkpoint, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			c := s.find(id)
			if c == nil {
				s.at[id] = &checkpoint{state: store.Checkpoint{ID: id, Term: term}}
				return store.Checkpoint{}, nil
			}
			before := c.copy()
			c.state.Term = max(c.state.Term, term)
			return before, nil
		})
}

// Mint implements [store.Checkpoints].
func (s *Checkpoints) Mint(
	ctx context.Context, id, owner string, lifetime time.Duration,
) (store.Checkpoint, error) {
	return answered(ctx, &s.faults, Call{Method: Mint, Stream: id, Owner: owner},
		func() (store.Checkpoint, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			c := s.find(id)
			if c == nil {
				c = &checkpoint{state: store.Checkpoint{ID: id}}
				s.at[id] = c
			}
			c.state.Term++
			c.state.Owner = owner
			c.keep(lifetime)
			return c.copy(), nil
		})
}

// Save implements [store.Checkpoints].
func (s *Checkpoints) Save(ctx context.Context, save store.Save) error {
	save.Position.Token = slices.Clone(save.Position.Token)
	save.Scope.Collections = slices.Clone(save.Scope.Collections)
	call := Call{Method: Save, Stream: save.ID, Owner: save.Owner, Term: save.Term}
	return s.through(ctx, call, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		c := s.find(save.ID)
		switch {
		case c == nil:
			return store.ErrMissing
		case c.state.Term > save.Term, c.state.Term == save.Term && c.state.Seq > save.Seq:
			return store.ErrFenced
		}
		c.state = store.Checkpoint{
			ID: save.ID, Term: save.Term, Seq: save.Seq, Owner: save.Owner,
			Position: save.Position, Scope: save.Scope,
		}
		c.keep(save.Lifetime)
		s.saves = append(s.saves, save)
		return nil
	})
}

// Get returns a checkpoint, the zero one where there is none.
func (s *Checkpoints) Get(id string) store.Checkpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.find(id); c != nil {
		return c.copy()
	}
	return store.Checkpoint{}
}

// Saved returns every save that took effect, in order.
func (s *Checkpoints) Saved() []store.Save {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.saves)
}

// Delete removes a checkpoint, as somebody might by hand.
func (s *Checkpoints) Delete(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.at, id)
}

// fence counts a dead letter on its checkpoint, unless a higher term owns it.
func (s *Checkpoints) fence(fence store.Fence) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(fence.Checkpoint)
	switch {
	case c == nil:
		return store.ErrMissing
	case c.state.Term > fence.Term:
		return store.ErrFenced
	}
	c.fence++
	return nil
}

// find returns a checkpoint that has not expired. The caller holds mu.
func (s *Checkpoints) find(id string) *checkpoint {
	c := s.at[id]
	if c != nil && !c.expires.IsZero() && !time.Now().Before(c.expires) {
		delete(s.at, id)
		return nil
	}
	return c
}

func (c *checkpoint) keep(lifetime time.Duration) {
	c.expires = time.Time{}
	if lifetime > 0 {
		c.expires = time.Now().Add(lifetime)
	}
}

// copy returns the state with nothing that the caller could change in it.
func (c *checkpoint) copy() store.Checkpoint {
	state := c.state
	state.Position.Token = bson.Raw(slices.Clone(state.Position.Token))
	state.Scope.Collections = slices.Clone(state.Scope.Collections)
	return state
}
