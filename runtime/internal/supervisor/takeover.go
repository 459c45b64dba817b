package supervisor

import (
	"context"
	"fmt"
	"time"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/backoff"
	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/state"
	"github.com/fwgen/fwgen/runtime/store"
)

// storeTimeout bounds one call to a store during a take-over.
const storeTimeout = 5 * time.Second

// takeOver raises the term of the checkpoint, once, and returns the checkpoint and the term that
// now counts.
type takeOver func(ctx context.Context) (store.Checkpoint, int64, error)

// raise takes over under a lease. The term of the lease must be above every term that the
// checkpoint has seen: where it is not, because the lease was deleted by hand or the outcome of an
// earlier raise is unknown, the lease is acquired again above it, and only then raised.
func (s *Stream) raise(
	ctx context.Context, l *lease.Leadership,
) (store.Checkpoint, int64, error) {
	for {
		term := l.Term()
		checkpoint, err := s.Checkpoints.Raise(ctx, s.CheckpointID, term)
		if err != nil {
			return store.Checkpoint{}, 0, fmt.Errorf("raise the term: %w", err)
		}
		if checkpoint.Term < term {
			return checkpoint, term, nil
		}
		if err := l.AcquireAbove(ctx, checkpoint.Term); err != nil {
			return store.Checkpoint{}, 0, fmt.Errorf("acquire above the stored term: %w", err)
		}
	}
}

// mint takes over without a lease.
func (s *Stream) mint(ctx context.Context) (store.Checkpoint, int64, error) {
	checkpoint, err := s.Checkpoints.Mint(ctx, s.CheckpointID, s.Owner, s.Lifetime)
	if err != nil {
		return store.Checkpoint{}, 0, fmt.Errorf("begin a term: %w", err)
	}
	return checkpoint, checkpoint.Term, nil
}

// patiently takes over, again and again until it succeeds or ctx ends.
func (s *Stream) patiently(
	ctx context.Context, once takeOver,
) (checkpoint store.Checkpoint, term int64, ok bool) {
	for n := 1; ctx.Err() == nil; n++ {
		bounded, cancel := context.WithTimeout(ctx, storeTimeout)
		checkpoint, term, err := once(bounded)
		cancel()
		if err == nil {
			return checkpoint, term, true
		}
		if ctx.Err() != nil {
			break // stopped, which is no trouble
		}
		wait := backoff.Store.Wait(n)
		s.Log.Warn("take-over not confirmed; trying again", "error", err)
		s.board.Set(state.Condition{
			State: state.BackingOff, Code: "checkpoint_unavailable", NextRetry: time.Now().Add(wait),
			Reason: fmt.Sprintf("the stored position can't be taken over: %v", err),
		})
		backoff.Sleep(ctx, wait)
	}
	return store.Checkpoint{}, 0, false
}

// leaseReport shows what the elector is doing, and passes it on.
func (s *Stream) leaseReport(r lease.Report) {
	switch r := r.(type) {
	case lease.Standby:
		s.board.Set(state.Condition{State: state.Standby, Code: "standby",
			Reason: "instance " + r.Instance.Name + " leads, under term " + fmt.Sprint(r.Term)})
		if term := s.follows.Swap(r.Term); term != r.Term {
			s.report(fact.LeaseStandby{Stream: s.fact(), Owner: r.Owner})
		}
	case lease.Held:
		s.board.Set(heldBy(r.Hold))
	case lease.AttemptFailed:
		s.board.Set(state.Condition{State: state.BackingOff, Code: "lease_unavailable",
			NextRetry: r.Next, Reason: fmt.Sprintf("the lease can't be asked for: %v", r.Err)})
	case lease.Acquired:
		s.mu.Lock()
		s.term = r.Term
		s.mu.Unlock()
		s.board.Set(state.Condition{State: state.Starting, Code: "taking_over",
			Reason: "leading, and taking over the position"})
		s.report(fact.LeaseAcquired{Stream: s.fact()})
	case lease.RenewalFailed:
		s.report(fact.LeaseRenewalFailed{Stream: s.fact(), Err: r.Err})
	case lease.TrustEnded:
		s.report(fact.LeaseTrustEnded{
			Stream: s.fact(), Reason: string(r.Reason), Owner: r.Owner,
		})
	case lease.Released:
		s.report(fact.LeaseReleased{Stream: s.fact(), Reason: string(r.Reason)})
	case lease.SittingOut:
		why := "handed over to another instance"
		if r.Reason == store.StreamFailing {
			why += ", because the change stream kept failing here"
		}
		s.board.Set(state.Condition{State: state.Standby, Code: "handed_over", NextRetry: r.Until,
			Reason: why + "; contends again at " + r.Until.UTC().Format(time.RFC3339)})
	case lease.Ended:
		s.ends()
	}
}
