package changestream_test

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// bench is an engine with what the tests do to it. Collections are named db.collection.
type bench struct {
	t      testing.TB
	engine *storage.Engine
}

func newBench(t testing.TB) *bench {
	t.Helper()
	e := storage.New(storage.Options{TTLMonitorInterval: -1})
	t.Cleanup(e.Close)
	return &bench{t: t, engine: e}
}

func ns(name string) storage.Namespace {
	db, collection, _ := strings.Cut(name, ".")
	return storage.Namespace{DB: db, Collection: collection}
}

func (b *bench) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// writer is a statement or a transaction.
type writer interface {
	View(...storage.Namespace) (storage.View, error)
	Insert(storage.Namespace, bson.D) error
	Update(storage.Namespace, storage.Record, update.Result) error
	Delete(storage.Namespace, storage.Record) error
}

func (b *bench) statement() writer { return b.engine.Statement(storage.Write{}) }

func (b *bench) create(name string) { b.check(b.engine.Create(ns(name), nil)) }

func (b *bench) createWithImages(name string) {
	enabled := bson.D{{Key: "enabled", Value: true}}
	b.check(b.engine.Create(ns(name), bson.D{
		{Key: "changeStreamPreAndPostImages", Value: enabled},
	}))
}

func (b *bench) insert(name string, id any, fields ...bson.E) {
	b.insertBy(b.statement(), name, id, fields...)
}

func (b *bench) insertBy(w writer, name string, id any, fields ...bson.E) {
	b.t.Helper()
	b.check(w.Insert(ns(name), append(bson.D{{Key: "_id", Value: id}}, fields...)))
}

func (b *bench) record(w writer, name string, id any) storage.Record {
	b.t.Helper()
	view, err := w.View(ns(name))
	b.check(err)
	record, ok := view.ByID(ns(name), id)
	if !ok {
		b.t.Fatalf("no document %v in %s", id, name)
	}
	return record
}

func (b *bench) set(name string, id any, field string, v any) {
	b.setBy(b.statement(), name, id, field, v)
}

func (b *bench) setBy(w writer, name string, id any, field string, v any) {
	b.t.Helper()
	record := b.record(w, name, id)
	b.check(w.Update(ns(name), record, update.Result{
		Doc:     value.Set(record.Doc, field, v),
		Changed: true,
		Kind:    update.Updated,
		Desc:    update.Description{Updated: bson.D{{Key: field, Value: v}}},
	}))
}

func (b *bench) replace(name string, id any, fields ...bson.E) {
	b.t.Helper()
	w := b.statement()
	b.check(w.Update(ns(name), b.record(w, name, id), update.Result{
		Doc:     append(bson.D{{Key: "_id", Value: id}}, fields...),
		Changed: true,
		Kind:    update.Replaced,
	}))
}

func (b *bench) remove(name string, id any) { b.removeBy(b.statement(), name, id) }

func (b *bench) removeBy(w writer, name string, id any) {
	b.t.Helper()
	b.check(w.Delete(ns(name), b.record(w, name, id)))
}

func (b *bench) drop(name string) {
	b.t.Helper()
	_, err := b.engine.Drop(ns(name))
	b.check(err)
}

func (b *bench) dropDatabase(db string) {
	b.t.Helper()
	_, err := b.engine.DropDatabase(db)
	b.check(err)
}

func (b *bench) rename(from, to string) {
	b.t.Helper()
	b.check(b.engine.Rename(ns(from), ns(to), true))
}

// transaction commits what do writes, in session "s" as its number 7.
func (b *bench) transaction(do func(w writer)) {
	b.t.Helper()
	number := int64(7)
	txn := b.engine.Begin(storage.Write{
		LSID: bson.D{{Key: "id", Value: "s"}}, TxnNumber: &number,
	})
	do(txn)
	_, err := txn.Commit()
	b.check(err)
}

// now is the next cluster time: a stream that starts there sees what comes.
func (b *bench) now() *bson.Timestamp {
	ts := b.engine.ClusterTime()
	ts.I++
	return &ts
}

// on returns options for a stream: of a collection, a database, or "" for all.
func on(name string) changestream.Options {
	o := changestream.Options{NS: ns(name)}
	switch {
	case name == "":
		o.Scope, o.NS = changestream.Cluster, storage.Namespace{DB: "admin"}
	case o.NS.Collection == "":
		o.Scope = changestream.Database
	}
	return o
}

func (b *bench) open(o changestream.Options) *changestream.Stream {
	b.t.Helper()
	s, err := changestream.Open(b.engine, o)
	b.check(err)
	return s
}

// batch is what a Next gave.
type batch struct {
	events []bson.D
	pbrt   bson.D
	closed bool
}

// next gives a batch without waiting.
func (b *bench) next(s *changestream.Stream, limit int) batch {
	b.t.Helper()
	events, pbrt, closed, err := s.Next(b.t.Context(), limit, 0, false)
	b.check(err)
	return batch{events, pbrt, closed}
}

// all gives everything there is, in one batch.
func (b *bench) all(o changestream.Options) batch {
	b.t.Helper()
	events, pbrt, closed, err := b.open(o).Next(b.t.Context(), 0, 1<<30, false)
	b.check(err)
	return batch{events, pbrt, closed}
}

func field(d bson.D, path ...string) any {
	if v := value.Lookup(d, path...); v != value.Missing {
		return v
	}
	return nil
}

func data(tok any) string {
	d, _ := tok.(bson.D)
	text, _ := field(d, "_data").(string)
	return text
}

func idOf(event bson.D) bson.D { return field(event, "_id").(bson.D) }

// summary is an event in short: type, collection and _id.
func summary(event bson.D) string {
	words := []string{field(event, "operationType").(string)}
	if coll, ok := field(event, "ns", "coll").(string); ok {
		words = append(words, coll)
	}
	if id := value.Lookup(event, "documentKey", "_id"); id != value.Missing {
		words = append(words, value.ShowResult(id))
	}
	return strings.Join(words, " ")
}

func summaries(events []bson.D) []string {
	all := make([]string, len(events))
	for i, event := range events {
		all[i] = summary(event)
	}
	return all
}

func keys(d bson.D) string {
	names := make([]string, len(d))
	for i, e := range d {
		names[i] = e.Key
	}
	return strings.Join(names, " ")
}

// want compares the events of a batch with summaries.
func (b *bench) want(got batch, what string, wanted ...string) {
	b.t.Helper()
	if all := summaries(got.events); !slices.Equal(all, wanted) {
		b.t.Errorf("%s: events\n%s\nwant\n%s", what,
			strings.Join(all, "\n"), strings.Join(wanted, "\n"))
	}
}

// highWater is the high-water mark of a time.
func highWater(ts bson.Timestamp) string { return hw(ts).Hex() }
