package changestream_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

func stage(name string, v any) bson.D { return bson.D{{Key: name, Value: v}} }

// having adds stages to options.
func having(o changestream.Options, stages ...any) changestream.Options {
	o.Pipeline = stages
	return o
}

func TestEventsThatAreHiddenMoveTheToken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	s := b.open(having(on("db.c"), stage("$match", spec("documentKey._id", int32(1)))))
	b.insert("db.c", int32(1))
	b.insert("db.c", int32(2))
	got := b.next(s, 0)
	b.want(got, "one of two", "insert c 1")
	b.wantToken(got, "the other is behind it", highWater(b.engine.ClusterTime()))
	b.insert("db.c", int32(3))
	got = b.next(s, 0)
	b.want(got, "hidden")
	b.wantToken(got, "hidden", highWater(b.engine.ClusterTime()))
}

// An invalidate that the stages hide ends the stream all the same.
func TestAHiddenInvalidateEndsTheStreamSilently(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	inserts := stage("$match", spec("operationType", "insert"))
	notInvalidate := stage("$match", spec("operationType", spec("$ne", "invalidate")))
	o := on("db.c")
	o.StartAt = b.now()
	b.insert("db.c", int32(1))
	b.drop("db.c")
	end := b.all(o)
	s := b.open(having(o, inserts))
	got := b.next(s, 1)
	b.want(got, "a full batch", "insert c 1")
	if got.closed {
		t.Error("closed with the insert")
	}
	got = b.next(s, 1)
	b.want(got, "the end")
	b.wantToken(got, "the end", data(end.pbrt))
	if !got.closed {
		t.Error("not closed at the end")
	}
	b.want(b.all(having(o, notInvalidate)), "drop shown", "insert c 1", "drop c")
	if again := b.all(having(after("db.c", idOf(end.events[1])), inserts)); !again.closed {
		t.Error("behind a hidden drop the stream stays open")
	}

	b.insert("db.c", int32(2))
	b.want(b.all(having(after("db.c", got.pbrt), inserts)), "behind the end", "insert c 2")
}

// The first event that the stages let through decides: the token's own event must be it.
func TestATokenWhoseEventIsHiddenIsNotFound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	o := on("db.c")
	o.StartAt = b.now()
	b.insert("db.c", int32(1))
	b.insert("db.c", int32(2))
	b.insert("db.c", int32(3))
	first := idOf(b.all(o).events[0])
	only := func(id int32) bson.D { return stage("$match", spec("documentKey._id", id)) }

	b.want(b.all(having(after("db.c", first), stage("$match", spec("documentKey._id",
		spec("$ne", int32(2)))))), "shown", "insert c 3")

	s := b.open(having(after("db.c", first), only(7)))
	b.want(b.next(s, 0), "all hidden")
	b.insert("db.c", int32(7))
	later := on("db.c")
	later.StartAt = o.StartAt
	events := b.all(later).events
	b.wantError(s, true, 280, notFound(inGetMore, idOf(events[3])), nonResumable)
	b.wantError(b.open(having(after("db.c", first), only(2))), false, 280,
		notFound(inAggregate, idOf(events[1])), nonResumable)

	b.drop("db.c")
	events = b.all(later).events
	drop := idOf(events[4])
	b.wantError(b.open(having(after("db.c", drop),
		stage("$match", spec("operationType", "invalidate")))), false, 280,
		notFound(inAggregate, idOf(events[5])), nonResumable)
}

// A server looks at stages that don't need an image before it finds the image.
func TestAMissingImageOfAHiddenEventIsNoError(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	const imagesWhenThere = "whenAvailable"
	start := b.now()
	b.insert("db.c", int32(1), bson.E{Key: "x", Value: int32(1)})
	b.set("db.c", int32(1), "x", int32(2))
	for _, test := range []struct {
		full, before string
		stages       bson.A
		missing      bool
	}{
		{"", "required", bson.A{stage("$match", spec("operationType", "insert"))}, false},
		{"required", "", bson.A{stage("$match", spec("operationType", "insert"))}, false},
		{"", "required", bson.A{stage("$match", spec("fullDocument.x", int32(1)))}, false},
		{"required", "", bson.A{stage("$match", spec("fullDocument.x", int32(1)))}, true},
		{"required", "required", bson.A{stage("$match", spec("fullDocument.x", int32(1)))}, true},
		{"", "required", bson.A{stage("$match", spec("fullDocumentBeforeChange.x", int32(7)))}, true},
		{"", "required", bson.A{stage("$match", spec("$expr",
			spec("$eq", bson.A{"$operationType", "insert"})))}, false},
		{"", "required", bson.A{stage("$match", spec("$expr",
			spec("$eq", bson.A{"$fullDocumentBeforeChange.x", int32(7)})))}, true},
		{"", "required", bson.A{stage("$addFields", spec("q", int32(1))),
			stage("$match", spec("operationType", "insert"))}, false},
		{"required", "required", bson.A{stage("$match", spec("operationType", "insert",
			"fullDocument.x", int32(1)))}, false},
		{"required", "required", bson.A{stage("$match", spec("$and", bson.A{
			spec("fullDocument.x", int32(1)), spec("operationType", "insert"),
		}))}, false},
		{"required", "required", bson.A{stage("$match", spec("fullDocument.x", int32(1))),
			stage("$match", spec("operationType", "insert"))}, false},
		{"required", "required", bson.A{stage("$match", spec("$or", bson.A{
			spec("fullDocument.x", int32(1)), spec("operationType", "insert"),
		}))}, true},
		{"required", imagesWhenThere,
			bson.A{stage("$match", spec("fullDocumentBeforeChange.x", int32(7)))}, false},
		{"required", "required", bson.A{stage("$project", spec("fullDocument", int32(0),
			"fullDocumentBeforeChange", int32(0)))}, true},
	} {
		o := having(on("db.c"), test.stages...)
		o.StartAt, o.FullDocument, o.Before = start, test.full, test.before
		events, _, _, err := b.open(o).Next(t.Context(), 0, 0, false)
		hidden := test.missing || test.before == imagesWhenThere // the insert has no such image
		if test.missing != mongoerr.Is(err, 47) || hidden != (len(events) == 0) {
			t.Errorf("%q, %q, %v: %v, %v", test.full, test.before, test.stages, summaries(events), err)
		}
	}
}

// The image before a change is there when stages decide whether the one after it is needed.
func TestStagesSeeTheImageBeforeAChangeThatIsRecorded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.createWithImages("db.c")
	o := on("db.c")
	o.StartAt, o.FullDocument, o.Before = b.now(), "required", "whenAvailable"
	b.insert("db.c", int32(1), bson.E{Key: "x", Value: int32(1)})
	b.set("db.c", int32(1), "x", int32(2))
	b.set("db.c", int32(1), "x", int32(3))
	got := b.all(having(o, stage("$match", spec("fullDocumentBeforeChange.x", int32(2)))))
	b.want(got, "one update", "update c 1")
	if after := image(got.events[0], "fullDocument"); after != "{_id: 1, x: 3}" {
		t.Errorf("fullDocument %s", after)
	}
}

// A delete has no document after it, so that a stage that asks for one hides it at once.
func TestAStageOnTheDocumentAfterHidesADeleteWithoutItsImage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	o := on("db.c")
	o.StartAt, o.FullDocument, o.Before = b.now(), "required", "required"
	b.insert("db.c", int32(1), bson.E{Key: "x", Value: int32(1)})
	b.remove("db.c", int32(1))
	b.want(b.all(having(o, stage("$match", spec("fullDocument.x", int32(1))))), "insert and delete",
		"insert c 1")
}

func TestStagesMustKeepTheToken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	o := on("db.c")
	o.StartAt = b.now()
	b.insert("db.c", int32(1))
	tok := `{ _data: "` + data(idOf(b.all(o).events[0])) + `" }`
	for _, test := range []struct {
		stage bson.D
		found string // "" where the token is kept
	}{
		{stage("$project", spec("_id", int32(0))), "{}"},
		{stage("$set", spec("_id", int32(1))), "{ _id: 1 }"},
		{stage("$set", spec("_id.x", int32(1))), "{ _id: " + tok[:len(tok)-2] + ", x: 1 } }"},
		{stage("$replaceRoot", spec("newRoot", spec("a", int32(1)))), "{}"},
		{stage("$project", spec("operationType", int32(1))), ""},
		{stage("$replaceRoot", spec("newRoot", spec("x", int32(5), "_id", "$_id"))), ""},
	} {
		s := b.open(having(o, test.stage))
		if test.found == "" {
			if got := b.next(s, 0); len(got.events) != 1 || len(got.events[0]) != 2 {
				t.Errorf("%v: %v", test.stage, got.events)
			}
			continue
		}
		b.wantError(s, true, 280, inGetMore+" :: caused by :: Encountered an event whose _id field, "+
			"which contains the resume token, was modified by the pipeline. Modifying the _id field "+
			"of an event makes it impossible to resume the stream from that point. Only "+
			"transformations that retain the unmodified _id field are allowed. Expected: { _id: "+
			tok+" } but found: "+test.found, nonResumable)
	}
}

func TestStagesAreCheckedAtOpen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const notPermitted = " is not permitted in a $changeStream pipeline"
	for _, test := range []struct {
		stage   bson.D
		code    int32
		message string
	}{
		{stage("$group", spec("_id", int32(1))), 20, "$group" + notPermitted},
		{stage("$sort", spec("_id", int32(1))), 20, "$sort" + notPermitted},
		{stage("$limit", int32(1)), 20, "$limit" + notPermitted},
		{stage("$unwind", "$x"), 20, "$unwind" + notPermitted},
		{stage("$nope", int32(1)), 40324, "Unrecognized pipeline stage name: '$nope'"},
	} {
		_, err := changestream.Open(b.engine, having(on("db.c"), test.stage))
		wantError(t, err, test.code, test.message)
	}
}
