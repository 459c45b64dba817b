package memongo_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo"
)

// once returns faults that strike the first command of a name.
func once(name string, fault memongo.Fault) func(memongo.Command) memongo.Fault {
	var struck atomic.Bool
	return func(c memongo.Command) memongo.Fault {
		if c.Name == name && struck.CompareAndSwap(false, true) {
			return fault
		}
		return memongo.Fault{}
	}
}

func TestLostReplyIsOfACommandThatHasRun(t *testing.T) {
	t.Parallel()
	s := start(t, memongo.Options{Faults: once("insert", memongo.Fault{LoseReply: true})})
	c := connect(t, s, options.Client().SetRetryWrites(false)).Database("d").Collection("c")
	if _, err := c.InsertOne(t.Context(), d("_id", 1)); !mongo.IsNetworkError(err) {
		t.Errorf("insert: %v, want a network error", err)
	}
	if n, err := c.CountDocuments(t.Context(), bson.D{}); n != 1 {
		t.Errorf("%d documents, %v", n, err)
	}
}

func TestDroppedCommandHasNotRun(t *testing.T) {
	t.Parallel()
	s := start(t, memongo.Options{Faults: once("insert", memongo.Fault{Drop: true})})
	c := connect(t, s, options.Client().SetRetryWrites(false)).Database("d").Collection("c")
	if _, err := c.InsertOne(t.Context(), d("_id", 1)); !mongo.IsNetworkError(err) {
		t.Errorf("insert: %v, want a network error", err)
	}
	if n, err := c.CountDocuments(t.Context(), bson.D{}); n != 0 {
		t.Errorf("%d documents, %v", n, err)
	}
}

func TestRetryableWriteWhoseReplyIsLostHappensOnce(t *testing.T) {
	t.Parallel()
	s := start(t, memongo.Options{Faults: once("update", memongo.Fault{LoseReply: true})})
	c := connect(t, s).Database("d").Collection("c")
	mustInsert(t, c, bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: 0}})
	result, err := c.UpdateOne(t.Context(), d("_id", 1), d("$inc", d("n", 1)))
	if err != nil || result.ModifiedCount != 1 {
		t.Fatalf("update: %+v, %v", result, err)
	}
	var doc struct{ N int }
	if err := c.FindOne(t.Context(), bson.D{}).Decode(&doc); err != nil || doc.N != 1 {
		t.Errorf("n is %d, %v", doc.N, err)
	}
}

func TestFaultIsToldWhoseTheCommandIs(t *testing.T) {
	t.Parallel()
	told := make(chan memongo.Command, 100)
	s := start(t, memongo.Options{Faults: func(c memongo.Command) memongo.Fault {
		if c.Name == "insert" {
			told <- c
		}
		return memongo.Fault{}
	}})
	client := connect(t, s, options.Client().SetAppName("billing"))
	mustInsert(t, client.Database("d").Collection("c"), d("_id", 1))
	got := <-told
	if got.Database != "d" || got.Collection != "c" || got.AppName != "billing" ||
		len(got.Document) == 0 {
		t.Errorf("told of %+v", got)
	}
}

func TestDelaysAreVirtualInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fault := memongo.Fault{Delay: time.Minute, DelayReply: time.Hour}
		s := start(t, memongo.Options{Faults: once("insert", fault)})
		c := connect(t, s).Database("d").Collection("c")
		began := time.Now()
		mustInsert(t, c, d("_id", 1))
		if took := time.Since(began); took != time.Hour+time.Minute {
			t.Errorf("the insert took %v", took)
		}
	})
}

func TestFaultCanAnswerAnErrorWithLabels(t *testing.T) {
	t.Parallel()
	fault := memongo.Fault{Code: 112, Labels: []string{"Odd"}}
	s := start(t, memongo.Options{Faults: once("insert", fault)})
	c := connect(t, s).Database("d").Collection("c")
	_, err := c.InsertOne(t.Context(), d("_id", 1))
	var answer mongo.ServerError
	if !errors.As(err, &answer) || !answer.HasErrorCode(112) || !answer.HasErrorLabel("Odd") {
		t.Errorf("%v", err)
	}
}
