package integration

import (
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/internal/mongostore"
	"github.com/fwgen/fwgen/runtime/store"
)

// BenchmarkMongoStore measures what each call costs on a majority of three.
func BenchmarkMongoStore(b *testing.B) {
	deployment := mongotest.Start(b, mongotest.Needs{Nodes: 3})
	db := deployment.Database(b)
	state := mongostore.New(db.Client(), db.Name(), "_fw")
	must(b, state.Prepare(b.Context()))
	must(b, state.DeadLetters().Prepare(b.Context(), "_fw_dlq"))
	lease, err := state.Leases().Acquire(b.Context(), ask("a"))
	must(b, err)
	_, err = state.Checkpoints().Raise(b.Context(), "orders", lease.Term)
	must(b, err)
	fence := store.Fence{Checkpoint: "orders", Term: lease.Term}
	seq := int64(0)

	for name, call := range map[string]func() error{
		"Renew": func() error {
			_, err := state.Leases().Renew(b.Context(), store.RenewRequest{
				Stream: "orders", Owner: "a", Term: lease.Term, TTL: time.Minute,
			})
			return err
		},
		"AcquireRefused": func() error {
			_, err := state.Leases().Acquire(b.Context(), ask("b"))
			return err
		},
		"Save": func() error {
			seq++
			return state.Checkpoints().Save(b.Context(), store.Save{
				ID: "orders", Term: lease.Term, Seq: seq,
			})
		},
		"Write": func() error {
			l := letter("m")
			l.ID = time.Now().String()
			return state.DeadLetters().Write(b.Context(), fence, l)
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must(b, call())
			}
		})
	}
}
