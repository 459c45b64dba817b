package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// A renewal that fails is not a lost lease, as long as there is time for another one; afterwards
// the leader stops by its own clock, and leads again once it can.
func TestB082FailedRenewals(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{TestCommands: true})
	facts := &observed{}
	var r recorder
	a := b.run(fw.Config{Observer: facts}, stream(fw.SingleLeader, &r))
	a.awaitPosition("items")
	a.await("items", fw.StateRunning, "")

	off := b.failWrites("_fw_locks")
	eventually(b, patience, atLeast("failed renewals", 1, func() int {
		return len(facts.of("LeaseRenewalFailed"))
	}), a)
	off()
	b.insert(1)
	r.expect(a, 1)
	failed := len(facts.of("LeaseRenewalFailed"))
	eventually(b, patience, func() error { // it is renewed
		if left := time.Until(lockOf(b, b.db, "items").ExpiresAt); left < 2*time.Second {
			return fmt.Errorf("the lease ends in %s", left)
		}
		return nil
	}, a)
	if term, ended := lockOf(b, b.db, "items").Term, facts.of("LeaseTrustEnded"); term != 1 ||
		len(ended) > 0 {
		b.Errorf("term %d after %d failed renewals, trust ended %d times", term, failed, len(ended))
	}

	off = b.failWrites("_fw_locks")
	eventually(b, patience, atLeast("ended trusts", 1, func() int {
		return len(facts.of("LeaseTrustEnded"))
	}), a)
	b.insert(2) // by nobody
	a.await("items", fw.StateBackingOff, "lease_unavailable")
	if n := r.count(); n != 1 || a.status("items").Leader {
		b.Errorf("%d events are handled, leader: %t", n, a.status("items").Leader)
	}
	off()
	r.expect(a, 1, 2)
	if term := r.all()[1].term; term != 2 {
		b.Errorf("handled under term %d, want 2", term)
	}
}

// What a client has as its defaults must not reach into how streams are read.
func TestClientsDefaultsDoNotMatter(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*options.ClientOptions{
		"read concern local":     options.Client().SetReadConcern(readconcern.Local()),
		"read concern available": options.Client().SetReadConcern(readconcern.Available()),
		"linearizable":           options.Client().SetReadConcern(readconcern.Linearizable()),
		"secondary":              options.Client().SetReadPreference(readpref.Secondary()),
		"write concern 1":        options.Client().SetWriteConcern(writeconcern.W1()),
		"no retries":             options.Client().SetRetryReads(false).SetRetryWrites(false),
		"short timeout":          options.Client().SetTimeout(900 * time.Millisecond),
		"object ids as text": options.Client().SetBSONOptions(&options.BSONOptions{
			ObjectIDAsHexString: true, UseJSONStructTags: true, NilMapAsEmpty: true,
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, mongotest.Needs{Nodes: 3})
			r := recorder{also: func(_ context.Context, ev *fw.Event[item]) error {
				if ev.Doc.N > 0 {
					return errors.New("no")
				}
				return nil
			}}
			s := stream(fw.SingleLeader, &r)
			s.DLQ.Enabled = true
			a := b.run(fw.Config{Client: b.deployment.Client(b, opts)}, s)
			a.awaitPosition("items")
			b.insert(1)
			_, err := b.items.InsertOne(b.Context(), item{2, 2})
			must(b, err)
			b.insert(3)
			r.expect(a, 1, 2, 3)
			a.await("items", fw.StateRunning, "")
			if n := len(deadLettersOf(b, b.db, "items")); n != 1 {
				b.Errorf("%d dead letters, want 1", n)
			}
			a.stop()
			if l := lockOf(b, b.db, "items"); l.InstanceID != "" || l.Term != 1 {
				b.Errorf("the lease after the stop: %+v", l)
			}
		})
	}
}

func TestNamesMayBeUnusual(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"order items", "日本", "a.b.c", "Orders-2026", "x/y#z"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, mongotest.Needs{})
			var r recorder
			s := stream(fw.SingleLeader, &r)
			s.Name, s.Collections, s.DLQ.Enabled = "", []string{name}, true
			if err := s.Validate(); err != nil {
				t.Skipf("refused: %v", err)
			}
			b.items = b.db.Collection(name)
			a := b.run(fw.Config{Prefix: "_state"}, s)
			eventually(b, patience, func() error {
				if c := find[checkpoint](b, b.db, "_state_checkpoints", name); c.Position.Token == nil {
					return errors.New("no position")
				}
				return nil
			}, a)
			b.insert(1)
			r.expect(a, 1)
		})
	}
}

// The window and the bytes in flight bound what is read ahead of a handler that is slow.
func TestWindowBoundsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*fw.Config, *fw.Stream) int{
		"window": func(_ *fw.Config, s *fw.Stream) int { s.Window = 5; return 5 },
		"bytes":  func(c *fw.Config, _ *fw.Stream) int { c.MaxInFlightBytes = 1; return 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, mongotest.Needs{})
			turn := make(chan struct{})
			r := recorder{also: func(ctx context.Context, _ *fw.Event[item]) error {
				select {
				case <-turn:
				case <-ctx.Done():
				}
				return ctx.Err()
			}}
			var config fw.Config
			s := stream(fw.SingleLeader, &r)
			most := limit(&config, &s)
			a := b.run(config, s)
			a.awaitPosition("items")
			b.insert(span(1, 20)...)
			for n := 1; n <= 20; n++ {
				eventually(b, patience, atLeast("events", n, r.count), a)
				eventually(b, patience, atLeast("in flight", min(most, 21-n), func() int {
					return a.status("items").InFlight
				}), a)
				if status := a.status("items"); status.InFlight > most ||
					status.OldestUnsettled != r.all()[n-1].event {
					b.Errorf("%d in flight, want at most %d; the oldest is %s, want %s",
						status.InFlight, most, status.OldestUnsettled, r.all()[n-1].event)
				}
				turn <- struct{}{}
			}
			r.expect(a, span(1, 20)...)
		})
	}
}

// A primary that hangs answers nobody and closes nothing: only a deadline notices it.
func TestHungPrimaryIsLeft(t *testing.T) {
	t.Parallel()
	b := newBundle(t, mongotest.Needs{Nodes: 3, Kill: true})
	var r recorder
	s := stream(fw.SingleLeader, &r)
	s.Lease = fw.LeasePolicy{} // a minute
	a := b.run(fw.Config{}, s)
	a.awaitPosition("items")
	b.insert(1)
	r.expect(a, 1)

	hung := b.deployment.Primary(b)
	began := time.Now()
	b.deployment.Pause(b, hung)
	defer b.deployment.Resume(b, hung)
	quick := b.deployment.Client(b, options.Client().SetConnectTimeout(time.Second).
		SetHeartbeatInterval(500*time.Millisecond).SetTimeout(2*time.Second))
	eventually(b, 2*patience, func() error {
		_, err := quick.Database(b.db.Name()).Collection("items").InsertOne(b.Context(), item{ID: 2})
		if mongo.IsDuplicateKeyError(err) { // of an attempt without an answer
			return nil
		}
		return err
	})
	elected := time.Since(began)
	eventually(b, 4*patience, atLeast("events", 2, r.count), a)
	b.Logf("primary hung: another took writes after %s, the next event was handled after %s",
		elected.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	if took := time.Since(began) - elected; took > 30*time.Second {
		b.Errorf("the next event was handled %s after there was another primary", took)
	}
}
