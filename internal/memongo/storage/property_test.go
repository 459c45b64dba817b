package storage_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

// TestInterleavings lets transactions and statements write the same few documents in any order
// and compares all that they see, and what each write is answered, with a model of maps.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newSimulation(t)
		defer s.engine.Close()
		t.Repeat(map[string]func(*rapid.T){
			"":       s.check,
			"begin":  s.begin,
			"insert": s.insert,
			"update": s.update,
			"delete": s.delete,
			"commit": func(t *rapid.T) { s.end(t, true) },
			"abort":  func(t *rapid.T) { s.end(t, false) },
		})
		s.checkOplog(t)
	})
}

func newSimulation(t *rapid.T) *simulation {
	s := &simulation{
		engine:    storage.New(storage.Options{TTLMonitorInterval: -1}),
		committed: table{map[int]content{}, map[int]int{}, map[int]int{}},
	}
	sparse := append(uniqueOn("key"), d("sparse", true)...)
	if _, err := s.engine.CreateIndexes(orders, []bson.D{sparse}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *simulation) begin(t *rapid.T) {
	if len(s.actors) == 3 {
		t.Skip("enough")
	}
	txn := s.engine.Begin(storage.Write{})
	if _, err := txn.View(orders); err != nil {
		t.Fatal(err)
	}
	s.actors = append(s.actors, &actor{
		writer: txn, txn: txn, before: s.committed.clone(), view: s.committed.clone(),
		ids: map[int]bool{}, keys: map[int]bool{},
	})
}

func (s *simulation) actor(t *rapid.T) *actor {
	i := rapid.IntRange(-1, len(s.actors)-1).Draw(t, "actor")
	if i >= 0 {
		return s.actors[i]
	}
	return &actor{writer: s.engine.Statement(storage.Write{}), before: s.committed,
		view: s.committed, ids: map[int]bool{}, keys: map[int]bool{}}
}

func drawID(t *rapid.T) int  { return rapid.IntRange(1, 5).Draw(t, "id") }
func drawKey(t *rapid.T) int { return rapid.IntRange(0, 3).Draw(t, "key") }

func encode(id int, c content) bson.D {
	encoded := doc(id, "n", c.n)
	if c.key != 0 {
		encoded = append(encoded, d("key", c.key)...)
	}
	return encoded
}

func (s *simulation) insert(t *rapid.T) {
	a, id, c := s.actor(t), drawID(t), content{drawKey(t), s.steps}
	want := s.claimID(a, id)
	if _, exists := a.view.docs[id]; exists {
		want = "duplicate"
	}
	if want == "" {
		want = s.claimKey(a, c.key)
	}
	s.expect(t, a, want, a.Insert(orders, encode(id, c)), id, &c)
}

func (s *simulation) update(t *rapid.T) {
	a, id, c := s.actor(t), drawID(t), content{drawKey(t), s.steps}
	old, exists := a.view.docs[id]
	if !exists {
		t.Skip("no such document")
	}
	want := s.claimID(a, id)
	if want == "" && c.key != old.key {
		want = s.claimKey(a, c.key)
	}
	err := change(a.writer, id, func(bson.D) bson.D { return encode(id, c) })
	s.expect(t, a, want, err, id, &c)
}

func (s *simulation) delete(t *rapid.T) {
	a, id := s.actor(t), drawID(t)
	if _, exists := a.view.docs[id]; !exists {
		t.Skip("no such document")
	}
	want := s.claimID(a, id)
	s.expect(t, a, want, remove(a.writer, id), id, nil)
}

// expect compares what a write was answered, and repeats it in the model.
func (s *simulation) expect(
	t *rapid.T, a *actor, want string, err error, id int, c *content,
) {
	s.steps++
	var busy *storage.Busy
	got := ""
	switch {
	case mongoerr.Is(err, mongoerr.DuplicateKey):
		got = "duplicate"
	case a.txn != nil && mongoerr.Is(err, mongoerr.WriteConflict):
		got = "conflict"
	case a.txn == nil && errors.As(err, &busy) && !isDone(busy.Done):
		got = "conflict"
	case err != nil:
		t.Fatalf("error: %v", err)
	}
	if got != want {
		t.Fatalf("the write was answered %q (%v), want %q", got, err, want)
	}
	switch {
	case got == "":
		a.view.write(id, c, s.steps) // a statement's is the committed data
	case a.txn != nil:
		a.txn.Abort()
		s.forget(a)
	}
}

func (s *simulation) forget(gone *actor) {
	var left []*actor
	for _, a := range s.actors {
		if a != gone {
			left = append(left, a)
		}
	}
	s.actors = left
}

func (s *simulation) end(t *rapid.T, commit bool) {
	if len(s.actors) == 0 {
		t.Skip("no transaction")
	}
	a := rapid.SampledFrom(s.actors).Draw(t, "transaction")
	s.forget(a)
	if !commit {
		a.txn.Abort()
		return
	}
	if _, err := a.txn.Commit(); err != nil {
		t.Fatalf("commit: %v", err)
	}
	for id := range a.ids { // nobody else has written these
		s.committed.written[id] = a.view.written[id]
		delete(s.committed.docs, id)
		if c, ok := a.view.docs[id]; ok {
			s.committed.docs[id] = c
		}
	}
	for key, step := range a.view.keyed {
		if step != a.before.keyed[key] {
			s.committed.keyed[key] = step
		}
	}
}

// check compares what everybody sees.
func (s *simulation) check(t *rapid.T) {
	view := s.engine.Latest()
	sameDocs(t, "committed", scan(view, orders), s.committed)
	for _, a := range s.actors {
		view, err := a.View(orders)
		if err != nil {
			t.Fatal(err)
		}
		sameDocs(t, "transaction", scan(view, orders), a.view)
	}
	keys := map[int]bool{}
	for _, c := range s.committed.docs {
		if c.key != 0 && keys[c.key] {
			t.Fatalf("key %d is taken twice", c.key)
		}
		keys[c.key] = true
	}
	if now := s.engine.ClusterTime(); now.Compare(s.last) < 0 {
		t.Fatalf("the cluster time went back from %v to %v", s.last, now)
	}
	s.last = s.engine.ClusterTime()
}

func sameDocs(t *rapid.T, whose string, got []bson.D, want table) {
	t.Helper()
	seen, expected := map[any]bson.D{}, map[any]bson.D{}
	for _, doc := range got {
		seen[doc[0].Value] = doc
	}
	for id, c := range want.docs {
		expected[int32(id)] = encode(id, c)
	}
	if diff := cmp.Diff(expected, seen); diff != "" || len(seen) != len(got) {
		t.Fatalf("%s (-want +got):\n%s", whose, diff)
	}
}

// checkOplog replays the changes from nothing and looks at their times.
func (s *simulation) checkOplog(t *rapid.T) {
	entries, _ := s.engine.Oplog().Since(storage.Position{})
	var replayed []bson.D
	for i, entry := range entries {
		if i > 0 && entries[i-1].Position().Compare(entry.Position()) >= 0 {
			t.Fatalf("entry %d at %v comes after %v", i, entry.Position(), entries[i-1].Position())
		}
		at := -1
		for j, doc := range replayed {
			if len(entry.DocumentKey) > 0 && doc[0].Value == entry.DocumentKey[0].Value {
				at = j
			}
		}
		if (at >= 0) != (entry.Before != nil) || at >= 0 && cmp.Diff(replayed[at], entry.Before) != "" {
			t.Fatalf("entry %d: before = %v, at %d of %v", i, entry.Before, at, replayed)
		}
		switch entry.Op {
		case storage.OpInsert:
			replayed = append(replayed, entry.Doc)
		case storage.OpUpdate:
			replayed[at] = entry.After
		case storage.OpDelete:
			replayed = append(replayed[:at:at], replayed[at+1:]...)
		}
	}
	if diff := cmp.Diff(replayed, scan(s.engine.Latest(), orders)); diff != "" && len(replayed) > 0 {
		t.Fatalf("replayed (-want +got):\n%s", diff)
	}
}
