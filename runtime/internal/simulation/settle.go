package simulation

import (
	"fmt"
	"time"

	fw "github.com/fwgen/fwgen/runtime"
)

// recovery is how long a healed app may take until all is settled: what hangs runs into its
// timeout, backoffs pass, events that stalled come up again, one after another.
const recovery = 10 * time.Minute

// heal ends everything that goes wrong, and has every instance run.
func (w *world) heal() {
	w.tell("healing")
	close(w.healed)
	w.faults.heal()
	for _, p := range w.alive() {
		p.link.up()
		p.link.release()
	}
	w.lift(Led)
	w.lift(Each)
	w.writes.finish()
	for _, m := range w.machines {
		m.with(m.start)
	}
}

// settle waits until every stream has settled all that was written, or says that it can't.
func (w *world) settle() {
	for began := time.Now(); time.Since(began) < recovery; time.Sleep(500 * time.Millisecond) {
		w.replaceFailed()
		if w.settled() && w.preferred() {
			break
		}
	}
	if !w.preferred() {
		w.note(func(r *Record, now Moment) { r.Unpreferred = now })
	}
	for _, p := range w.alive() {
		for _, s := range p.app.Status().Streams {
			checkpoint := (&Attempt{Stream: s.Name, Life: p.life}).checkpoint()
			w.note(func(r *Record, _ Moment) {
				r.Ends = append(r.Ends, End{Life: p.life.String(), Checkpoint: checkpoint,
					State: string(s.State), Code: s.Code, Reason: s.Reason})
			})
		}
	}
}

// replaceFailed restarts processes with a stream that has failed because another process of the
// name was there, as its advice says.
func (w *world) replaceFailed() {
	for _, m := range w.machines {
		m.with(func() {
			if m.now == nil {
				return
			}
			for _, s := range m.now.app.Status().Streams {
				if s.State == fw.StateFailed && s.Code == "instance_name_taken" {
					m.stop()
					m.start()
					return
				}
			}
		})
	}
}

// settled reports whether every checkpoint is beyond the last change, or lost.
func (w *world) settled() bool {
	shown := map[string]fw.State{}
	for _, p := range w.alive() {
		for _, s := range p.app.Status().Streams {
			checkpoint := (&Attempt{Stream: s.Name, Life: p.life}).checkpoint()
			if shown[checkpoint] != fw.StateHistoryLost {
				shown[checkpoint] = s.State
			}
		}
	}
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	if len(w.record.Changes) == 0 {
		return true
	}
	last := w.record.Changes[len(w.record.Changes)-1].Place
	reached := map[string]Place{}
	for _, s := range w.record.States {
		reached[s.Checkpoint] = s.Passed
	}
	for checkpoint, state := range shown {
		if state != fw.StateHistoryLost && reached[checkpoint].Compare(last) < 0 {
			return false
		}
	}
	return len(shown) == len(w.machines)+1
}

// stop stops every process, and waits until nothing runs.
func (w *world) stop() {
	w.over.Store(true)
	w.tell("stopping")
	for _, m := range w.machines {
		w.work.Go(func() { m.with(m.stop) })
	}
	ended := make(chan struct{})
	go func() {
		w.work.Wait()
		close(ended)
	}()
	timer := time.NewTimer(recovery)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		w.note(func(r *Record, _ Moment) {
			r.Troubles = append(r.Troubles, fmt.Sprintf("not all has ended %s after the stop", recovery))
		})
		<-ended
	}
}
