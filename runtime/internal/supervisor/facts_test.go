package supervisor_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/runtime/fact"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// leaseFacts returns what an instance was told about leases, renewals that fail left out, without
// times.
func (i *instance) leaseFacts() (told []fact.Fact) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, f := range i.facts {
		switch f := f.(type) {
		case fact.LeaseStandby:
			f.At = time.Time{}
			told = append(told, f)
		case fact.LeaseAcquired:
			f.At = time.Time{}
			told = append(told, f)
		case fact.LeaseReleased:
			f.At = time.Time{}
			told = append(told, f)
		case fact.LeaseTrustEnded:
			f.At = time.Time{}
			told = append(told, f)
		}
	}
	return told
}

func (i *instance) wantLeaseFacts(want ...fact.Fact) {
	i.Helper()
	if diff := cmp.Diff(want, i.leaseFacts()); diff != "" {
		i.Errorf("facts (-want +got):\n%s", diff)
	}
}

func orders(term int64) fact.Stream { return fact.Stream{Stream: "orders", Term: term} }

func TestFactsTellALeadershipFromItsBeginningToItsEnd(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue")
		green := w.start("green")
		time.Sleep(5 * time.Minute)
		if err := blue.StepDown(context.Background()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		blue.wantLeaseFacts(
			fact.LeaseAcquired{Stream: orders(1)},
			fact.LeaseReleased{Stream: orders(1), Reason: string(store.SteppedDown)},
			fact.LeaseStandby{Stream: orders(1), Owner: "green/1"},
		)
		green.wantLeaseFacts(
			fact.LeaseStandby{Stream: orders(0), Owner: "blue/1"},
			fact.LeaseAcquired{Stream: orders(2)},
		)
	})
}

func TestFactsTellWhyTrustEnded(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue")
		w.fail(func(c memstore.Call) memstore.Fault {
			if c.Owner == "blue/1" && c.Method == memstore.Renew {
				return memstore.Fault{Fail: errDown}
			}
			return memstore.Fault{}
		})
		time.Sleep(ttl)
		if n := blue.toldOf(is[fact.LeaseRenewalFailed]); n == 0 {
			t.Error("not told of a renewal that failed")
		}
		told := blue.leaseFacts()
		want := fact.Fact(fact.LeaseTrustEnded{
			Stream: orders(1), Reason: string(store.RenewalFailed),
		})
		if len(told) < 2 || told[1] != want {
			t.Errorf("told %+v, want %+v after the acquisition", told, want)
		}
	})
}

func TestFactsTellWhoHasALeaseThatIsLost(t *testing.T) {
	bubble(t, func(w *world) {
		blue := w.start("blue")
		w.leases.Delete("orders")
		_, err := w.leases.Acquire(context.Background(), store.AcquireRequest{
			Stream: "orders", Owner: "green/1", TTL: ttl, MinTerm: 7,
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(ttl / 2)
		blue.wantLeaseFacts(
			fact.LeaseAcquired{Stream: orders(1)},
			fact.LeaseTrustEnded{Stream: orders(1), Reason: string(store.Lost), Owner: "green/1"},
			fact.LeaseStandby{Stream: orders(1), Owner: "green/1"},
		)
	})
}
