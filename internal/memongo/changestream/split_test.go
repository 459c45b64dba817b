package changestream_test

import (
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/token"
)

var splitStage = bson.D{{Key: "$changeStreamSplitLargeEvent", Value: bson.D{}}}

// big opens a history with an event that is too large: an update of a document of 10 MB with both
// images, an insert before it and one behind it.
func (b *bench) big() changestream.Options {
	b.t.Helper()
	b.createWithImages("db.c")
	o := on("db.c")
	o.StartAt, o.FullDocument, o.Before = b.now(), "required", "required"
	text := strings.Repeat("x", 5<<20)
	b.insert("db.c", int32(1), bson.E{Key: "a", Value: text}, bson.E{Key: "b", Value: text})
	b.set("db.c", int32(1), "a", strings.Repeat("y", 5<<20))
	b.insert("db.c", int32(2))
	return o
}

func TestAnEventThatIsTooLargeEndsTheStreamWithItsBatch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.big()
	plain := on("db.c")
	plain.StartAt = o.StartAt
	large := b.all(plain).events[1]
	const size = 26214835 // what the event has in BSON
	message := fmt.Sprintf(" :: caused by :: BSONObj size: %d (0x%X) is invalid. Size must be "+
		"between 0 and 16793600(16MB) First element: _id: { _data: \"%s\" }",
		size, size, data(idOf(large)))
	b.wantError(b.open(o), false, 10334, inAggregate+message)
	s := b.open(o)
	b.want(b.next(s, 1), "batch of one", "insert c 1")
	b.wantError(s, true, 10334, inGetMore+message)
	b.want(b.all(changestream.Options{
		NS: ns("db.c"), FullDocument: "required", Before: "required", StartAfter: idOf(large),
	}), "behind it", "insert c 2")
}

// The fields of each fragment are those of 6.0.27.
func TestALargeEventIsSplit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.big()
	o.Pipeline = bson.A{splitStage}
	s := b.open(o)
	var events []bson.D
	for range 4 {
		got := b.next(s, 1)
		b.wantToken(got, "a full batch", data(idOf(got.events[0])))
		events = append(events, got.events...)
	}
	meta := "_id operationType clusterTime wallTime fullDocument ns documentKey"
	for i, want := range []string{
		meta,
		"_id splitEvent wallTime clusterTime operationType documentKey ns updateDescription fullDocument",
		"_id splitEvent fullDocumentBeforeChange",
		meta,
	} {
		if keys(events[i]) != want {
			t.Errorf("event %d has %s, want %s", i, keys(events[i]), want)
		}
		tok, err := token.Parse(idOf(events[i]))
		b.check(err)
		if wanted := []int{0, 1, 2, 0}[i]; tok.Version != token.Splitting || tok.Fragment != wanted {
			t.Errorf("event %d has the token %+v", i, tok)
		}
		if i > 0 && data(idOf(events[i-1])) >= data(idOf(events[i])) {
			t.Errorf("the tokens %d and %d don't ascend", i-1, i)
		}
	}
	want := bson.D{{Key: "fragment", Value: int32(2)}, {Key: "of", Value: int32(2)}}
	if got := field(events[2], "splitEvent"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("splitEvent %v, want %v", got, want)
	}
	o.StartAt = nil
	for i, event := range events {
		resume := o
		resume.ResumeAfter = idOf(event)
		got := b.all(resume)
		if fmt.Sprint(sizes(got.events)) != fmt.Sprint(sizes(events[i+1:])) {
			t.Errorf("behind event %d: %v, want %v", i, sizes(got.events), sizes(events[i+1:]))
		}
	}
}

func sizes(events []bson.D) (all []int) {
	for _, event := range events {
		raw, _ := bson.Marshal(event)
		all = append(all, len(raw))
	}
	return all
}

func TestFragmentsResumeOnlyWhereTheEventIsSplitAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.big()
	o.Pipeline = bson.A{splitStage}
	first := idOf(b.all(o).events[1])
	o.StartAt, o.StartAfter = nil, first

	unsplit := o
	unsplit.Pipeline = nil
	_, err := changestream.Open(b.engine, unsplit)
	wantError(t, err, 280, "To resume from a split event, the $changeStream pipeline must include "+
		"a $changeStreamSplitLargeEvent stage", nonResumable)

	small := o
	small.FullDocument, small.Before = "", ""
	b.wantError(b.open(small), false, 280, inAggregate+" :: caused by :: Attempted to resume from a "+
		"split event fragment, but the event in the resumed stream was not large enough to be split",
		nonResumable)
}

// 6.0.27 has the largest whole event at 16785408 bytes, counted with the token's document.
func TestTheLargestWholeEvent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.createWithImages("db.c")
	o := on("db.c")
	o.Before, o.Pipeline = "required", bson.A{splitStage}
	size := func(padding int) []int {
		b.t.Helper()
		o.StartAt = b.now()
		id := int32(10000000 + padding)
		b.insert("db.c", id, bson.E{Key: "s", Value: strings.Repeat("x", padding)})
		b.replace("db.c", id, bson.E{Key: "s", Value: strings.Repeat("y", padding)})
		return sizes(b.all(o).events[1:])
	}
	raw, _ := bson.Marshal(token.Token{
		Version: token.Splitting, Kind: token.Event, UUID: token.UUID(make([]byte, 16)),
		ID: token.Operation("replace", "documentKey", bson.D{{Key: "_id", Value: int32(10000000)}}),
	}.Document())
	limit := 16785408 - len(raw)
	base := size(8000000)[0] - 16000000
	if got := size((limit - base) / 2); len(got) != 1 || got[0] > limit || got[0] < limit-1 {
		t.Errorf("sizes %v at the limit of %d", got, limit)
	}
	if got := size((limit-base)/2 + 1); len(got) != 2 {
		t.Errorf("sizes %v above the limit of %d", got, limit)
	}
}

func TestAFieldTooLargeForAFragmentEndsTheStream(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	o := on("db.c")
	o.Pipeline = bson.A{splitStage}
	o.StartAt = b.now()
	b.insert("db.c", int32(1), bson.E{Key: "s", Value: strings.Repeat("x", 16785000)})
	_, _, _, err := b.open(o).Next(t.Context(), 0, 0, false)
	if !mongoerr.Is(err, 7182500) || !strings.Contains(err.Error(), "Splitting change event failed: "+
		"fragment size 16785477 is greater than maximum allowed fragment size 16785225") {
		t.Errorf("error %v", err)
	}
}

func TestTheSplitStageIsCheckedAtOpen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	match := bson.D{{Key: "$match", Value: bson.D{}}}
	stage := func(v any) bson.D { return bson.D{{Key: "$changeStreamSplitLargeEvent", Value: v}} }
	for _, test := range []struct {
		stages  bson.A
		code    int32
		message string
	}{
		{bson.A{splitStage, match}, 7182802,
			"$changeStreamSplitLargeEvent must be the last stage in the pipeline"},
		{bson.A{stage(bson.D{{Key: "x", Value: int32(1)}})}, 7182800,
			"$changeStreamSplitLargeEvent spec should be an empty object"},
		{bson.A{stage(int32(1))}, 7182899, "$changeStreamSplitLargeEvent must take a nested " +
			"object but found: $changeStreamSplitLargeEvent: 1"},
	} {
		o := on("db.c")
		o.Pipeline = test.stages
		_, err := changestream.Open(b.engine, o)
		wantError(t, err, test.code, test.message)
	}
}

// 6.0.27 differs from 6.0.5 in more than the stage.
func TestStreamsWithTheSplitStageAreThoseOfItsVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	o := on("db")
	o.StartAt, o.FullDocument = b.now(), "updateLookup"
	b.insert("db.c", int32(1))
	b.set("db.c", int32(1), "x", int32(2))
	look := func(stages bson.A) string {
		o.Pipeline = stages
		return image(b.all(o).events[1], "fullDocument")
	}
	b.rename("db.c", "db.d")
	plain, named := look(nil), look(bson.A{splitStage})
	if plain != "{_id: 1, x: 2}" || named != "null" {
		t.Errorf("renamed: %s without the stage, %s with it", plain, named)
	}
	b.insert("db.c", int32(1))
	if named := look(bson.A{splitStage}); named != "{_id: 1}" {
		t.Errorf("another collection under the name: %s with the stage", named)
	}

	start := b.now()
	b.transaction(func(w writer) {
		b.setBy(w, "db.c", int32(1), "x", int32(2))
		b.insertBy(w, "db.c", int32(2))
	})
	o = on("db.c")
	o.StartAt = start
	all := b.all(o).events
	o = after("db.c", idOf(all[1]))
	o.Before = "required"
	_, _, _, err := b.open(o).Next(t.Context(), 0, 0, false)
	ts := field(all[0], "clusterTime").(bson.Timestamp)
	if want := fmt.Sprintf("clusterTime: Timestamp(%d, %d), txnNumber: 7}", ts.T, ts.I); !mongoerr.Is(
		err, 47) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("without the stage the image of an earlier change is missed: %v", err)
	}
	b.want(b.all(having(o, splitStage)), "with the stage it is not asked for")
}

// The client's token stays as it is until there is a newer one.
func TestATokenOfVersionOneResumesAStreamOfVersionTwo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := on("db.c")
	o.StartAt = b.now()
	b.insert("db.c", int32(1))
	b.insert("db.c", int32(2))
	first := idOf(b.all(o).events[0])
	s := b.open(having(after("db.c", first), splitStage))
	if data(s.Position()) != data(first) {
		t.Errorf("the token is %v at first, want the client's", s.Position())
	}
	got := b.next(s, 0)
	b.want(got, "the second", "insert c 2")
	tok, err := token.Parse(got.pbrt)
	b.check(err)
	if tok.Version != token.Splitting {
		t.Errorf("the second event's token is %+v", tok)
	}
	b.want(b.all(after("db.c", first)), "without the stage", "insert c 2")
	s = b.open(after("db.c", got.pbrt)) // and a token of version 2 is understood without it
	b.insert("db.c", int32(3))
	next := b.next(s, 0)
	b.want(next, "the third", "insert c 3")
	if tok, _ := token.Parse(next.pbrt); tok.Version != token.Splitting {
		t.Errorf("the third event's token is %+v", tok)
	}
}
