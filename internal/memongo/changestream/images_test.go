package changestream_test

import (
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// image prints an image of an event: "-" where the event has no such field.
func image(event bson.D, name string) string {
	v := value.Lookup(event, name)
	if v == value.Missing {
		return "-"
	}
	return value.ShowResult(v)
}

// What 6.0.5 put into the events of an insert, an update, a replacement and a delete, by what the
// stream asks for and whether the collection records images.
func TestImagesInEvents(t *testing.T) {
	t.Parallel()
	const (
		x1, x2, x3 = "{_id: 1, x: 1}", "{_id: 1, x: 2}", "{_id: 1, x: 3}"
		gone       = "null" // looked up after the delete
	)
	recorded, plain := "db.i", "db.c"
	b := newBench(t)
	b.createWithImages(recorded)
	b.create(plain)
	start := b.now()
	for _, name := range []string{recorded, plain} {
		b.insert(name, int32(1), bson.E{Key: "x", Value: int32(1)})
		b.set(name, int32(1), "x", int32(2))
		b.replace(name, int32(1), bson.E{Key: "x", Value: int32(3)})
		b.remove(name, int32(1))
	}
	for _, test := range []struct {
		name, full, before string
		update             [2]string // fullDocument, fullDocumentBeforeChange
		replace, delete    string    // fullDocumentBeforeChange
	}{
		{recorded, "", "", [2]string{"-", "-"}, "-", "-"},
		{recorded, "default", "off", [2]string{"-", "-"}, "-", "-"},
		{recorded, "updateLookup", "whenAvailable", [2]string{gone, x1}, x2, x3},
		{recorded, "whenAvailable", "required", [2]string{x2, x1}, x2, x3},
		{recorded, "required", "required", [2]string{x2, x1}, x2, x3},
		{plain, "updateLookup", "off", [2]string{gone, "-"}, "-", "-"},
		{plain, "whenAvailable", "whenAvailable", [2]string{"null", "null"}, "null", "null"},
	} {
		o := on(test.name)
		o.StartAt, o.FullDocument, o.Before = start, test.full, test.before
		got := b.all(o).events
		if len(got) != 4 {
			t.Fatalf("%d events, want 4", len(got))
		}
		for i, want := range [][2]string{
			{x1, "-"}, test.update, {x3, test.replace}, {"-", test.delete},
		} {
			after, before := image(got[i], "fullDocument"), image(got[i], "fullDocumentBeforeChange")
			if after != want[0] || before != want[1] {
				t.Errorf("%s of %s with %q, %q has %s and %s, want %v",
					summary(got[i]), test.name, test.full, test.before, after, before, want)
			}
		}
	}
}

func TestImagesStandWhereAServerPutsThem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.createWithImages("db.i")
	o := on("db.i")
	o.StartAt, o.FullDocument, o.Before = b.now(), "required", "required"
	b.insert("db.i", int32(1))
	b.set("db.i", int32(1), "x", int32(2))
	want := "_id operationType clusterTime wallTime fullDocument ns documentKey updateDescription " +
		"fullDocumentBeforeChange"
	if got := keys(b.all(o).events[1]); got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
}

func TestARequiredImageThatIsNotThereEndsTheStream(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	o := on("db.c")
	start := b.now()
	o.StartAt = start
	b.insert("db.c", int32(1))
	b.set("db.c", int32(1), "x", int32(2))
	update := b.all(o).events[1]
	ts := field(update, "clusterTime").(bson.Timestamp)
	event := fmt.Sprintf(`{operationType: "update", ns: {db: "db", coll: "c"}, `+
		"clusterTime: Timestamp(%d, %d)}", ts.T, ts.I)
	pre := "Change stream was configured to require a pre-image for all update, delete and replace " +
		"events, but the pre-image was not found for event: " + event
	post := "Change stream was configured to require a post-image for all update events, but the " +
		"post-image was not found for event: " + event
	for _, test := range []struct{ full, before, message string }{
		{"", "required", pre}, {"required", "", post}, {"required", "required", pre},
	} {
		o.FullDocument, o.Before = test.full, test.before
		b.wantError(b.open(o), false, 47, inAggregate+" :: caused by :: "+test.message)
		s := b.open(o)
		b.want(b.next(s, 1), "the insert before it", "insert c 1")
		b.wantError(s, true, 47, inGetMore+" :: caused by :: "+test.message)
		o.StartAt, o.StartAfter = nil, idOf(update)
		b.wantError(b.open(o), false, 47, inAggregate+" :: caused by :: "+test.message)
		o.StartAt, o.StartAfter = start, nil
	}
}

// The lookup finds the newest version, by the collection's UUID.
func TestUpdateLookup(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	o := on("db")
	o.StartAt, o.FullDocument = b.now(), "updateLookup"
	b.insert("db.c", int32(1))
	b.set("db.c", int32(1), "x", int32(2))
	look := func(what, want string) {
		t.Helper()
		if got := image(b.all(o).events[1], "fullDocument"); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	look("at once", "{_id: 1, x: 2}")
	b.set("db.c", int32(1), "x", int32(3))
	look("changed again", "{_id: 1, x: 3}")
	b.rename("db.c", "db.d")
	look("renamed", "{_id: 1, x: 3}")
	b.insert("db.c", int32(1))
	look("another under the old name", "{_id: 1, x: 3}")
	b.drop("db.d")
	look("dropped", "null")
}

func TestTransactionsHaveTheImagesOfEachChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.createWithImages("db.i")
	b.insert("db.i", int32(1))
	o := on("db.i")
	o.StartAt, o.FullDocument, o.Before = b.now(), "required", "required"
	b.transaction(func(w writer) {
		b.setBy(w, "db.i", int32(1), "x", int32(1))
		b.setBy(w, "db.i", int32(1), "x", int32(2))
		b.removeBy(w, "db.i", int32(1))
	})
	var got []string
	for _, event := range b.all(o).events {
		got = append(got, image(event, "fullDocumentBeforeChange")+" -> "+image(event, "fullDocument"))
	}
	want := "{_id: 1} -> {_id: 1, x: 1}; {_id: 1, x: 1} -> {_id: 1, x: 2}; {_id: 1, x: 2} -> -"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("images %s, want %s", text, want)
	}
}
