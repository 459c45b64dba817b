package simulation

import (
	"context"
	"errors"
	"time"

	fw "github.com/fwgen/fwgen/runtime"
)

// item is a document of the watched collection.
type item struct {
	Key string `bson:"_id"`
	Seq int    `bson:"seq"`
}

// handler handles the events of one stream in one incarnation.
type handler struct {
	stream   string
	seed     uint64
	settings Settings
	life     *Life
	journal  *journal
}

var (
	errBroken  = errors.New("broken")
	errStopped = errors.New("stopped in the middle")
)

func (h *handler) functions() fw.Dispatcher {
	return fw.Typed(fw.Handlers[item]{Change: h.handle, Filter: h.filter})
}

// seqOf returns the number of the change, 0 if the event does not tell.
func seqOf(ev *fw.Event[item]) int {
	if ev.Operation == fw.OpUpdate {
		seq, _ := ev.Update.Updated.Lookup("seq").AsInt64OK()
		return int(seq)
	}
	if ev.Doc != nil {
		return ev.Doc.Seq
	}
	return 0
}

func (h *handler) begin(ev *fw.Event[item]) (*Attempt, behaviour) {
	key, seq := ev.Key.Lookup("_id").StringValue(), seqOf(ev)
	a := h.journal.begin(Attempt{
		Stream: h.stream, Life: h.life, Term: ev.Term, EventID: ev.ID, Key: key, Seq: seq,
		Place: placeOf(ev.Raw.Lookup("_id").Document()), Number: ev.Attempt,
	})
	if a == nil {
		a = &Attempt{Life: h.life}
	}
	return a, behave(h.seed, key, seq)
}

func (h *handler) filter(_ context.Context, ev *fw.Event[item]) (bool, error) {
	key, seq := ev.Key.Lookup("_id").StringValue(), seqOf(ev)
	if behave(h.seed, key, seq).deed != doFilter {
		return true, nil
	}
	a, _ := h.begin(ev)
	h.journal.end(a, Filtered)
	return false, nil
}

func (h *handler) handle(ctx context.Context, ev *fw.Event[item]) error {
	a, b := h.begin(ev)
	defer context.AfterFunc(ctx, func() { h.journal.mark(a, &a.Cancelled) })()
	if !h.settings.DeadLetters && !h.settings.Skip {
		b = b.withoutLetters(a, h.settings.Attempts)
	}
	outcome, err := h.do(ctx, ev, a, b)
	if outcome == Failed && (errors.Is(err, errPermanent) || ev.Attempt >= h.settings.Attempts) {
		outcome = Exhausted
		if h.settings.Skip {
			outcome = Skipped
		}
	}
	h.journal.end(a, outcome)
	if b.deed == doPanic && outcome != Handled {
		panic(err)
	}
	return err
}

// withoutLetters makes a behaviour end some day on a stream that stalls: nothing fails for good, an
// event that stalls is handled then, and few do.
func (b behaviour) withoutLetters(a *Attempt, attempts int) behaviour {
	if b.deed == doPermanent || b.deed == doBroken {
		b.deed = doFlaky
		if a.Seq%8 == 0 {
			b.deed = doBroken
		}
	}
	if a.Number > attempts {
		return behaviour{doHandle, time.Millisecond}
	}
	return b
}

var errPermanent = fw.Permanent(errBroken)

// do has the effect of a behaviour, and says how the attempt ends.
func (h *handler) do(
	ctx context.Context, ev *fw.Event[item], a *Attempt, b behaviour,
) (Outcome, error) {
	if b.deed == doStubbornly {
		time.Sleep(b.takes)
		return Handled, nil
	}
	timer := time.NewTimer(b.takes)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return interrupted(ctx), errStopped
	}
	switch b.deed {
	case doFlaky, doPanic:
		if ev.Attempt == 1 {
			return Failed, errBroken
		}
	case doBroken:
		return Failed, errBroken
	case doPermanent:
		return Failed, errPermanent
	case doSkip:
		return Skipped, fw.Skip("as the seed says")
	case doLetter:
		return Lettered, fw.DeadLetter("as the seed says", errBroken)
	case doSend:
		return h.send(ctx, ev, a)
	case doDefer:
		if ev.Deferrals == 0 {
			return Deferred, fw.RetryAfter(150*time.Millisecond, errBroken)
		}
	case doCheckpoint:
		h.journal.mark(a, &a.Settled)
		return Handled, ev.Checkpoint(ctx)
	}
	return Handled, nil
}

func (h *handler) send(ctx context.Context, ev *fw.Event[item], a *Attempt) (Outcome, error) {
	h.journal.mark(a, &a.Asked)
	err := ev.SendToDLQ(ctx, "as the seed says")
	switch {
	case err == nil:
		return Lettered, nil
	case ctx.Err() != nil:
		return interrupted(ctx), err
	default:
		return Failed, err
	}
}

// interrupted says how an attempt ends whose context has ended: a timeout counts.
func interrupted(ctx context.Context) Outcome {
	if errors.Is(context.Cause(ctx), fw.ErrTimeout) {
		return Failed
	}
	return Interrupted
}
