package mongostore

import (
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/runtime/internal/presence"
	"github.com/fwgen/fwgen/runtime/store"
)

// Store is the state of streams in one database.
type Store struct {
	leases      *Leases
	checkpoints *Checkpoints
	letters     *DeadLetters
	instances   *Instances
}

// New returns the stores that keep their state in database, in collections whose names begin with
// prefix. It does not talk to the server; [Store.Prepare] does.
func New(client *mongo.Client, database, prefix string) *Store {
	db := commands{client.Database(database)}
	checkpoints := &Checkpoints{db: db, collection: prefix + "_checkpoints"}
	return &Store{
		leases:      &Leases{db: db, collection: prefix + "_locks"},
		checkpoints: checkpoints,
		letters:     &DeadLetters{db: db, checkpoints: checkpoints, writers: map[string]*writer{}},
		instances:   &Instances{db: db, collection: prefix + "_instances"},
	}
}

// Leases returns the store of leases.
func (s *Store) Leases() *Leases { return s.leases }

// Checkpoints returns the store of positions.
func (s *Store) Checkpoints() *Checkpoints { return s.checkpoints }

// DeadLetters returns the store of dead letters. Its writes are fenced by [Store.Checkpoints].
func (s *Store) DeadLetters() *DeadLetters { return s.letters }

// Instances returns the store of what processes announce.
func (s *Store) Instances() *Instances { return s.instances }

var (
	_ store.Leases           = (*Leases)(nil)
	_ store.Checkpoints      = (*Checkpoints)(nil)
	_ store.DeadLetterWriter = (*DeadLetters)(nil)
	_ presence.Store         = (*Instances)(nil)
)
