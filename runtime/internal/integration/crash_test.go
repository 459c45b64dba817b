package integration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	fw "github.com/fwgen/fwgen/runtime"
	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// A crash round is a stream of crashEvents events whose only process is killed at random points,
// and started again on the same state, until every event is settled.
const (
	crashEvents   = 10_000
	crashRounds   = 5 // FW_CRASH_ROUNDS says otherwise
	changesOfLife = 4 // insert, two updates, delete
)

func TestKilledAtAnyPointEveryEventIsSettledOnce(t *testing.T) {
	t.Parallel()
	rounds := crashRounds
	if text := os.Getenv("FW_CRASH_ROUNDS"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		rounds = n
	}
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			c := newCrash(t, []fw.Mode{fw.SingleLeader, fw.AllInstances}[round%2])
			kills := c.killUntilSettled()
			c.judge(kills)
		})
	}
}

// crash is one round.
type crash struct {
	*testing.T
	db      *mongo.Database
	config  childapp.Config
	child   *process
	written map[string]int
	failing map[journal.Change]bool
	wrote   chan error
}

func newCrash(t *testing.T, mode fw.Mode) *crash {
	t.Helper()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 1})
	db := d.Database(t)
	c := &crash{T: t, db: db, written: map[string]int{}, failing: map[journal.Change]bool{},
		wrote: make(chan error, 1),
		config: childapp.Config{
			URI: d.URI, Database: db.Name(), Instance: "crashing", Mode: mode,
			Journal: filepath.Join(t.TempDir(), "journal"),
			TTL:     1500 * time.Millisecond, Heartbeat: 500 * time.Millisecond,
			Poll:  1500 * time.Millisecond,
			Every: 100, Window: 500,
		}}
	must(t, db.CreateCollection(t.Context(), childapp.Collection))
	c.plan()
	c.start()
	eventually(t, patience, func() error {
		n, err := db.Collection("_fw_checkpoints").CountDocuments(t.Context(),
			bson.M{"position.token": bson.M{"$exists": true}})
		if err == nil && n == 0 {
			err = errors.New("no start is stored")
		}
		return err
	})
	go func() { c.wrote <- c.write() }()
	return c
}

func (c *crash) start() {
	cmd, err := childapp.Command(c.config)
	must(c, err)
	c.child = launch(c, "crashing", cmd)
}

// plan notes what will be written.
func (c *crash) plan() {
	for life := range crashEvents / changesOfLife {
		c.written[key(life)] = changesOfLife
		for seq := 1; seq < changesOfLife; seq++ {
			if fails(life, seq) {
				c.failing[journal.Change{Key: key(life), Seq: seq}] = true
			}
		}
	}
}

func key(life int) string { return fmt.Sprintf("life%d", life) }

func fails(life, seq int) bool { return (life*changesOfLife+seq)%151 == 3 }

// write makes the events: lives of documents, ten at a time, every fifth ten in a transaction.
func (c *crash) write() error {
	const together = 10
	ctx := context.Background()
	items := c.db.Collection(childapp.Collection)
	for n := 0; n < crashEvents/changesOfLife; n += together {
		var models []mongo.WriteModel
		for seq := 1; seq <= changesOfLife; seq++ {
			for life := n; life < n+together; life++ {
				models = append(models, change(life, seq))
			}
		}
		write := func(ctx context.Context) (any, error) { return items.BulkWrite(ctx, models) }
		var err error
		if n/together%5 == 4 {
			var session *mongo.Session
			if session, err = c.db.Client().StartSession(); err == nil {
				_, err = session.WithTransaction(ctx, write)
				session.EndSession(ctx)
			}
		} else {
			_, err = write(ctx)
		}
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

// change is one change of a document's life. Some are flaky, and some fail for ever.
func change(life, seq int) mongo.WriteModel {
	id := bson.M{"_id": key(life)}
	if seq == changesOfLife {
		return mongo.NewDeleteOneModel().SetFilter(id)
	}
	flaky := 0
	if life%61 == 7 {
		flaky = childapp.Attempts - 1
	}
	set := bson.M{"seq": seq, "fails": fails(life, seq), "flaky": flaky}
	if seq == 1 {
		set["_id"], set["key"] = key(life), key(life)
		return mongo.NewInsertOneModel().SetDocument(set)
	}
	return mongo.NewUpdateOneModel().SetFilter(id).SetUpdate(bson.M{"$set": set})
}

// killUntilSettled kills the process whenever it has had some more effects, until it has had all.
// It returns how often.
func (c *crash) killUntilSettled() (kills int) {
	c.Helper()
	for {
		next := len(c.entries()) + 1 + rand.IntN(2500)
		done := false
		eventually(c, 2*patience, func() error {
			if !c.child.alive() {
				c.Fatal("the process ended by itself")
			}
			got := len(c.entries())
			if done = got >= crashEvents-len(c.failing) && c.settled(); done || got >= next {
				return nil
			}
			return fmt.Errorf("%d effects", got)
		})
		if done {
			must(c, <-c.wrote)
			return kills
		}
		time.Sleep(rand.N(20 * time.Millisecond)) // any point will do
		c.child.kill(c)
		kills++
		c.start()
	}
}

// settled reports whether every change had an effect or is a dead letter.
func (c *crash) settled() bool {
	settled := map[journal.Change]bool{}
	for _, e := range c.entries() {
		settled[e.Change()] = true
	}
	letters, err := c.db.Collection("_fw_dlq").CountDocuments(c.Context(), bson.M{})
	must(c, err)
	return len(settled)+int(letters) >= crashEvents
}

// entries reads the journal. A deletion is the last change of its key.
func (c *crash) entries() []journal.Entry {
	c.Helper()
	entries, err := journal.Read(c.config.Journal)
	must(c, err)
	for i := range entries {
		if entries[i].Seq == childapp.Deleted {
			entries[i].Seq = changesOfLife
		}
	}
	return entries
}

// judge stops the process and compares what happened with what was written.
func (c *crash) judge(kills int) {
	c.Helper()
	c.child.signal(c, syscall.SIGTERM)
	c.child.awaitExit(c, patience)
	letters := c.letters()
	for change := range c.failing {
		if !letters[change] {
			c.Errorf("%v always fails and is no dead letter", change)
		}
	}
	for change := range letters {
		if !c.failing[change] {
			c.Errorf("%v is a dead letter and never failed for good", change)
		}
	}
	entries := c.entries()
	for _, fault := range journal.Check(entries, journal.Truth{
		Written: c.written, DeadLetters: letters, Repeats: c.config.Every + c.config.Window,
	}) {
		c.Error(fault)
	}
	c.Logf("%d kills, %d effects of %d events, %d dead letters", kills, len(entries), crashEvents,
		len(letters))
}

// letters returns the changes that are dead letters.
func (c *crash) letters() map[journal.Change]bool {
	c.Helper()
	cursor, err := c.db.Collection("_fw_dlq").Find(c.Context(), bson.M{})
	must(c, err)
	var rows []struct {
		Key struct {
			ID string `bson:"_id"`
		} `bson:"documentKey"`
		Document childapp.Item `bson:"fullDocument"`
		Update   struct {
			Fields childapp.Item `bson:"updatedFields"`
		} `bson:"updateDescription"`
		Operation string `bson:"operationType"`
	}
	must(c, cursor.All(c.Context(), &rows))
	letters := map[journal.Change]bool{}
	for _, row := range rows {
		seq := row.Document.Seq
		if row.Operation == "UPDATE" {
			seq = row.Update.Fields.Seq
		}
		letters[journal.Change{Key: row.Key.ID, Seq: seq}] = true
	}
	return letters
}
