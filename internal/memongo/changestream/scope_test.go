package changestream_test

import (
	"testing"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

func TestScopesSeeTheirCollections(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	start := b.now()
	for _, name := range []string{
		"a.c", "a.d", "b.c", "a.systemx", "a._fw.x", "admin.c", "config.c", "local.c",
	} {
		b.insert(name, int32(1))
	}
	for scope, want := range map[string][]string{
		"a.c": {"insert c 1"},
		"a":   {"insert c 1", "insert d 1", "insert systemx 1", "insert _fw.x 1"},
		"b":   {"insert c 1"},
		"": {"insert c 1", "insert d 1", "insert c 1", "insert systemx 1",
			"insert _fw.x 1"},
		"a.nope": nil,
	} {
		o := on(scope)
		o.StartAt = start
		b.want(b.all(o), "scope "+scope, want...)
	}
}

// What invalidates which streams, and what a stream sees before it.
func TestStreamsAreInvalidatedByScope(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		do     func(b *bench)
		scope  string
		want   []string
		closed bool
	}{
		{"drop, collection", func(b *bench) { b.drop("db.c") }, "db.c",
			[]string{"drop c", "invalidate"}, true},
		{"drop, database", func(b *bench) { b.drop("db.c") }, "db", []string{"drop c"}, false},
		{"drop, cluster", func(b *bench) { b.drop("db.c") }, "", []string{"drop c"}, false},
		{"rename, source", func(b *bench) { b.rename("db.c", "db.x") }, "db.c",
			[]string{"rename c", "invalidate"}, true},
		{"rename, target", func(b *bench) { b.rename("db.c", "db.other") }, "db.other",
			[]string{"rename c", "invalidate"}, true},
		{"rename, database", func(b *bench) { b.rename("db.c", "db.other") }, "db",
			[]string{"rename c"}, false},
		{"rename, cluster", func(b *bench) { b.rename("db.c", "db.other") }, "",
			[]string{"rename c"}, false},
		{"dropDatabase, collection", func(b *bench) { b.dropDatabase("db") }, "db.c",
			[]string{"drop c", "invalidate"}, true},
		{"dropDatabase, database", func(b *bench) { b.dropDatabase("db") }, "db",
			[]string{"drop c", "drop other", "dropDatabase", "invalidate"}, true},
		{"dropDatabase, cluster", func(b *bench) { b.dropDatabase("db") }, "",
			[]string{"drop c", "drop other", "dropDatabase"}, false},
		{"dropDatabase, no collection", func(b *bench) { b.dropDatabase("db") }, "db.nope",
			nil, false},
	} {
		b := newBench(t)
		b.create("db.c")
		b.create("db.other")
		s := b.open(on(test.scope))
		test.do(b)
		got := b.next(s, 0)
		b.want(got, test.name, test.want...)
		if got.closed != test.closed {
			t.Errorf("%s: closed %v, want %v", test.name, got.closed, test.closed)
		}
		if n := len(got.events); got.closed && data(got.pbrt) != data(idOf(got.events[n-1])) {
			t.Errorf("%s: the token is %v, want the invalidate's", test.name, got.pbrt)
		}
		b.insert("db.c", int32(5))
		if again := b.next(s, 0); test.closed && (!again.closed || len(again.events) > 0) {
			t.Errorf("%s: an invalidated stream gave %+v", test.name, again)
		}
	}
}

// An invalidate that fills a batch leaves the cursor open until the next batch, as on a server.
func TestAnInvalidateThatFillsTheBatchLeavesTheCursorOpen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create("db.c")
	s := b.open(on("db.c"))
	b.drop("db.c")
	for _, want := range []struct {
		events []string
		closed bool
	}{{[]string{"drop c"}, false}, {[]string{"invalidate"}, false}, {nil, true}} {
		got := b.next(s, 1)
		b.want(got, "batch of one", want.events...)
		if got.closed != want.closed {
			t.Errorf("after %v closed is %v", want.events, got.closed)
		}
	}
}

func TestAStreamSeesACollectionThatComesLater(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.open(on("db.c"))
	b.insert("db.c", int32(1))
	b.want(b.next(s, 0), "created", "insert c 1")
	b.drop("db.c")
	start := b.now()
	b.insert("db.c", int32(2))
	o := on("db.c")
	o.StartAt = start
	b.want(b.all(o), "created again", "insert c 2")
}

func TestStreamsOnInternalNamespacesAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, code := range map[string]int32{
		"admin": mongoerr.InvalidNamespace, "config.x": mongoerr.InvalidNamespace,
		"local.oplog.rs": mongoerr.InvalidNamespace, "db.system.js": mongoerr.InvalidNamespace,
	} {
		if _, err := changestream.Open(b.engine, on(name)); !mongoerr.Is(err, code) {
			t.Errorf("%s: %v, want code %d", name, err, code)
		}
	}
	o := on("")
	o.NS = ns("db.c")
	if _, err := changestream.Open(b.engine, o); !mongoerr.Is(err, mongoerr.InvalidOptions) {
		t.Errorf("cluster stream on a collection: %v", err)
	}
}
