package simulation

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// workload writes documents, one step after another. Each key counts its changes, also over
// deletions. A write that fails is repeated; what was written is what the oplog says.
type workload struct {
	dice       dice
	collection *mongo.Collection
	tell       func(string, ...any)
	steps      chan Step
	done       chan struct{}
	seq        map[string]int
	exists     map[string]bool
}

const keys = 8

func newWorkload(
	seed uint64, collection *mongo.Collection, tell func(string, ...any),
) *workload {
	w := &workload{dice: newDice(seed, "workload"), collection: collection, tell: tell,
		steps: make(chan Step, 1000), done: make(chan struct{}),
		seq: map[string]int{}, exists: map[string]bool{}}
	go func() {
		defer close(w.done)
		for s := range w.steps {
			w.write(s)
		}
	}()
	return w
}

func (w *workload) add(s Step) { w.steps <- s }

// finish waits until everything is written.
func (w *workload) finish() {
	close(w.steps)
	<-w.done
}

func (w *workload) write(s Step) {
	var models []mongo.WriteModel
	for range s.N {
		models = append(models, w.change())
	}
	for attempt := 1; ; attempt++ {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		err := w.try(ctx, models, s.Chance == 1)
		cancel()
		if err == nil {
			return
		}
		w.tell("write not confirmed: %v", err)
		if attempt == 5 || mongo.IsDuplicateKeyError(err) {
			return // some of it was written before
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (w *workload) try(ctx context.Context, models []mongo.WriteModel, together bool) error {
	write := func(ctx context.Context) (any, error) { return w.collection.BulkWrite(ctx, models) }
	if !together {
		_, err := write(ctx)
		return err
	}
	session, err := w.collection.Database().Client().StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	_, err = session.WithTransaction(ctx, write)
	return err
}

// change draws the next change of a key.
func (w *workload) change() mongo.WriteModel {
	key := fmt.Sprintf("k%d", w.dice.IntN(keys))
	w.seq[key]++
	seq, id := w.seq[key], bson.D{{Key: "_id", Value: key}}
	doc := bson.D{{Key: "_id", Value: key}, {Key: "seq", Value: seq}}
	if !w.exists[key] {
		w.exists[key] = true
		return mongo.NewInsertOneModel().SetDocument(doc)
	}
	switch w.dice.IntN(10) {
	case 0, 1:
		w.exists[key] = false
		return mongo.NewDeleteOneModel().SetFilter(id)
	case 2, 3:
		return mongo.NewReplaceOneModel().SetFilter(id).SetReplacement(doc)
	default:
		return mongo.NewUpdateOneModel().SetFilter(id).SetUpdate(
			bson.D{{Key: "$set", Value: bson.D{{Key: "seq", Value: seq}}}})
	}
}
