package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

// DeadLettersUnderTest is an empty store and what a test may do to it from outside.
type DeadLettersUnderTest struct {
	store.DeadLetterWriter

	// Checkpoints fence the writes.
	Checkpoints store.Checkpoints

	// Row returns a dead letter as it is stored, or nil.
	Row func(ctx context.Context, collection, id string) (bson.Raw, error)

	// SetStatus changes the status of a dead letter, as an operator does.
	SetStatus func(ctx context.Context, collection, id, status string) error
}

// DeadLetters checks a [store.DeadLetterWriter] that stores documents of the documented shape.
func DeadLetters(
	t *testing.T, newStore func(*testing.T) DeadLettersUnderTest, opts ...Option,
) {
	s := newSuite(opts)
	for _, group := range [][]letterTest{fenceTests, repeatTests, contentTests} {
		for _, test := range group {
			t.Run(test.name, func(t *testing.T) {
				s.run(t, func(t *testing.T) {
					d := &letters{t, newStore(t), callContext(t)}
					require(t, d.Prepare(d.ctx, letterCollection))
					test.run(d)
				})
			})
		}
	}
}

type letterTest struct {
	name string
	run  func(*letters)
}

// letters is what one test works with.
type letters struct {
	*testing.T
	DeadLettersUnderTest
	ctx context.Context
}

const (
	letterCollection = "_fw_dlq"
	letterID         = stream + "/7.1-00ff"
)

// failed is a dead letter with everything that one can have.
func failed(attempt int) store.DeadLetter {
	return store.DeadLetter{
		Collection: letterCollection, ID: letterID, Stream: stream, Operation: "UPDATE",
		Term: 1, InstanceID: "a/1",
		DocumentKey:              encode(bson.D{{Key: "_id", Value: "$_id"}}),
		FullDocument:             embed(encode(bson.D{{Key: "$a.b", Value: "$$ROOT"}})),
		FullDocumentBeforeChange: embed(encode(bson.D{{Key: "before", Value: true}})),
		UpdateDescription: encode(bson.D{
			{Key: "updatedFields", Value: bson.D{{Key: "x.y", Value: 1}}},
		}),
		Namespace:   encode(bson.D{{Key: "db", Value: "shop"}, {Key: "coll", Value: "orders"}}),
		ClusterTime: bson.Timestamp{T: 7, I: 1},
		WallTime:    instant(0),
		Txn:         encode(bson.D{{Key: "txnNumber", Value: int64(5)}}),
		ResumeToken: encode(bson.D{{Key: "_data", Value: "8263"}}),
		Metadata:    encode(bson.D{{Key: "note", Value: "n"}}),
		Error: store.DeadLetterError{
			Type: "*errors.errorString", Kind: "handler", Message: "$no", StackTrace: "main.go:1",
		},
		Attempts:       attempt,
		FirstAttemptAt: instant(1),
		LastAttemptAt:  instant(1 + attempt),
		Retention:      month,
	}
}

// instant is a date that MongoDB can store.
func instant(second int) time.Time {
	return time.Date(2026, 3, 1, 12, 0, second, 5e6, time.UTC)
}

func encode(fields bson.D) bson.Raw {
	raw, err := bson.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return raw
}

func embed(raw bson.Raw) bson.RawValue {
	return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw}
}

// lead makes the checkpoint and lets a term own it.
func (d *letters) lead(term int64) store.Fence {
	d.Helper()
	_, err := d.Checkpoints.Raise(d.ctx, stream, term)
	require(d.T, err)
	return store.Fence{Checkpoint: stream, Term: term}
}

func (d *letters) write(fence store.Fence, letter store.DeadLetter) {
	d.Helper()
	require(d.T, d.Write(d.ctx, fence, letter))
}

// row returns the dead letter, which must be there.
func (d *letters) row() bson.Raw {
	d.Helper()
	row, err := d.Row(d.ctx, letterCollection, letterID)
	require(d.T, err)
	if row == nil {
		d.Fatal("no dead letter is stored")
	}
	return row
}

// mustHave compares fields of a row, each by its extended JSON.
func (d *letters) mustHave(row bson.Raw, fields bson.D) {
	d.Helper()
	for _, field := range fields {
		want := encode(bson.D{{Key: "v", Value: field.Value}}).Lookup("v")
		if got := row.Lookup(strings.Split(field.Key, "/")...); !got.Equal(want) {
			d.Errorf("%s = %v, want %v", field.Key, got, want)
		}
	}
}

func (d *letters) history(row bson.Raw) []bson.RawValue {
	d.Helper()
	values, err := row.Lookup("history").Array().Values()
	require(d.T, err)
	return values
}
