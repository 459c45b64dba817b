package integration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// pair is two processes, sometimes more, that handle one stream, and what was written for them to
// handle.
type pair struct {
	*testing.T
	deployment *mongotest.Deployment
	db         *mongo.Database
	config     childapp.Config
	prepare    func(*childapp.Config) // changes the configuration of the next process; may be nil
	members    map[string]*process    // by instance

	written map[string]int // changes by key; the writer's while it writes
	n       int            // changes that were made
	letters int            // about every how-manieth change always fails
	pause   time.Duration  // of the writer
	stop    chan struct{}  // closed to stop the writer; nil while there is none
	wrote   chan error     // the writer's end
}

var pairConfig = childapp.Config{
	TTL: 2 * time.Second, Heartbeat: 500 * time.Millisecond, Poll: 2 * time.Second,
	Every: 100, Window: 500, Took: time.Millisecond,
}

// newPair starts two processes and a writer.
func newPair(t *testing.T, config childapp.Config) *pair {
	t.Helper()
	p := newQuietPair(t, sharedNodes(t), config)
	p.beginBoth()
	p.load()
	return p
}

// sharedNodes are three nodes that tests share which leave the servers alone.
func sharedNodes(t *testing.T) *mongotest.Deployment {
	t.Helper()
	return mongotest.Start(t, mongotest.Needs{Nodes: 3})
}

// newQuietPair makes a pair without processes and without a writer.
func newQuietPair(t *testing.T, d *mongotest.Deployment, config childapp.Config) *pair {
	t.Helper()
	db := d.Database(t)
	config.URI, config.Database = d.URI, db.Name()
	config.Journal = filepath.Join(t.TempDir(), "journal")
	p := &pair{T: t, deployment: d, db: db, config: config, members: map[string]*process{},
		written: map[string]int{}, letters: 97, pause: 3 * time.Millisecond}
	must(t, db.CreateCollection(t.Context(), childapp.Collection))
	_, err := db.Collection(childapp.Effects).InsertOne(t.Context(),
		bson.M{"_id": childapp.Stream, "term": int64(0), "n": 0})
	must(t, err)
	return p
}

// beginBoth begins the two processes and waits until what is written from then on is not lost.
func (p *pair) beginBoth() {
	p.Helper()
	p.begin("a")
	p.begin("b")
	p.awaitStart()
}

// awaitStart waits until a start is stored: a new stream begins at now, whenever that is.
func (p *pair) awaitStart() {
	p.Helper()
	eventually(p, patience, func() error {
		if checkpointOf(p, p.db, childapp.Stream).Position.Token == nil {
			return errors.New("no start is stored")
		}
		return nil
	})
}

// begin starts a process under an instance name.
func (p *pair) begin(instance string) {
	p.Helper()
	c := p.config
	c.Instance = instance
	if p.prepare != nil {
		p.prepare(&c)
	}
	cmd, err := childapp.Command(c)
	must(p, err)
	p.members[instance] = launch(p, instance, cmd)
}

// other returns the instance that a name is not.
func other(instance string) string {
	if instance == "a" {
		return "b"
	}
	return "a"
}

// leader waits for a leader of a term above after, and returns its instance.
func (p *pair) leader(after int64) (instance string, term int64) {
	p.Helper()
	eventually(p, patience, func() error {
		l := lockOf(p, p.db, childapp.Stream)
		instance, term = l.Instance.Name, l.Term
		if l.Term <= after || l.InstanceID == "" {
			return fmt.Errorf("nobody leads above term %d: %+v", after, l)
		}
		return nil
	})
	return instance, term
}

// load begins to write, until the pair settles.
func (p *pair) load() {
	p.stop, p.wrote = make(chan struct{}), make(chan error, 1)
	go func() { p.wrote <- p.write() }()
}

// write inserts changes of ten keys, a few at a time, until the pair stops it.
func (p *pair) write() error {
	tick := time.NewTicker(p.pause)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return nil
		case <-tick.C:
		}
		var few []childapp.Item
		for range 1 + rand.IntN(5) {
			few = append(few, p.change())
		}
		if err := p.insert(few...); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
}

// insert repeats an insertion until it is known to be done: the servers may change their primary.
func (p *pair) insert(few ...childapp.Item) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	docs := make([]any, len(few))
	for i, item := range few {
		docs[i] = struct {
			ID            string `bson:"_id"`
			childapp.Item `bson:",inline"`
		}{fmt.Sprintf("%s/%d", item.Key, item.Seq), item}
	}
	for {
		_, err := p.db.Collection(childapp.Collection).InsertMany(ctx, docs,
			options.InsertMany().SetOrdered(false))
		var bulk mongo.BulkWriteException
		known := errors.As(err, &bulk) && bulk.WriteConcernError == nil
		for _, refused := range bulk.WriteErrors {
			known = known && refused.Code == 11000 // it is there already
		}
		if err == nil || known {
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond) // as a client that is told to try again
	}
}

// change makes the next change of one of the keys: most are handled at once, some at the last
// attempt, some never.
func (p *pair) change() childapp.Item {
	key := fmt.Sprintf("key%d", p.n%10)
	p.written[key]++
	item := childapp.Item{Key: key, Seq: p.written[key], Fails: p.n%p.letters == p.letters/2}
	if p.n%31 == 7 {
		item.Flaky = childapp.Attempts - 1
	}
	p.n++
	return item
}

// emit writes one change, of a pair that has no writer, which always fails or is handled at once.
func (p *pair) emit(fails bool) journal.Change {
	p.Helper()
	item := p.change()
	item.Fails, item.Flaky = fails, 0
	must(p, p.insert(item))
	return journal.Change{Key: item.Key, Seq: item.Seq}
}

// entries reads the journal.
func (p *pair) entries() []journal.Entry {
	p.Helper()
	entries, err := journal.Read(p.config.Journal)
	must(p, err)
	return entries
}

// awaitEffect waits for the first effect under a term above after.
func (p *pair) awaitEffect(after int64) (first journal.Entry) {
	p.Helper()
	eventually(p, p.config.TTL+patience, func() error {
		for _, e := range p.entries() {
			if e.Term > after {
				first = e
				return nil
			}
		}
		return fmt.Errorf("no effect above term %d", after)
	})
	return first
}

// settle stops the writer, if there is one, and waits until everything is handled or a dead letter.
func (p *pair) settle() (letters map[journal.Change]bool) {
	p.Helper()
	if p.stop != nil {
		close(p.stop)
		must(p, <-p.wrote)
	}
	eventually(p, patience, func() error {
		letters = map[journal.Change]bool{}
		for _, l := range deadLettersOf(p, p.db, childapp.Stream) {
			var item childapp.Item
			must(p, bson.Unmarshal(l.FullDocument, &item))
			letters[journal.Change{Key: item.Key, Seq: item.Seq}] = true
		}
		settled := map[journal.Change]bool{}
		for _, e := range p.entries() {
			settled[e.Change()] = true
		}
		if got := len(settled) + len(letters); got < p.n {
			return fmt.Errorf("%d of %d changes are settled", got, p.n)
		}
		return nil
	})
	return letters
}

// end stops the processes that live, gracefully, and judges the journal.
func (p *pair) end(letters map[journal.Change]bool, stale int) {
	p.Helper()
	for _, member := range p.members {
		if member.alive() {
			member.signal(p, syscall.SIGTERM)
			member.awaitExit(p, patience)
		}
	}
	entries := p.entries()
	for _, fault := range journal.Check(entries, journal.Truth{
		Written: p.written, DeadLetters: letters, Stale: stale,
		Repeats: p.config.Every + p.config.Window,
	}) {
		p.Error(fault)
	}
	if p.stop != nil && len(letters) == 0 {
		p.Error("there is no dead letter")
	}
	p.Logf("%d effects, %d dead letters, %d terms", len(entries), len(letters),
		entries[len(entries)-1].Term)
}

// apart judges that no handlers of two terms ran at the same time.
func (p *pair) apart() {
	p.Helper()
	attempts, err := journal.Attempts(p.config.Journal)
	must(p, err)
	for _, fault := range journal.CheckApart(attempts) {
		p.Error(fault)
	}
}
