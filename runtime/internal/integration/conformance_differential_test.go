//go:build differential

package integration

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo"
	"github.com/fwgen/fwgen/runtime/internal/integration/differential"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// What the in-process server makes of random documents, filters, expressions and updates is what
// a real one makes of them, down to the description of the update in the change event. What it
// says that it does not support is left out.
//
//	go test -tags=differential -run TestInProcessServerDoesWhatARealOneDoes
func TestInProcessServerDoesWhatARealOneDoes(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{})
	server := memongo.Start(memongo.Options{})
	t.Cleanup(server.Close)
	client, err := mongo.Connect(server.ClientOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	p := twoServers{
		real: newSide(t, d.Client(t).Database(mongotest.DatabaseName(t))),
		ours: newSide(t, client.Database("differential")),
	}
	rapid.Check(t, p.check)
}

// twoServers is the two servers.
type twoServers struct{ real, ours *side }

// side is a collection on one of them, and the changes that it tells.
type side struct {
	c       *mongo.Collection
	changes *mongo.ChangeStream
	marks   int // documents that ended the changes of a round
}

func newSide(t *testing.T, db *mongo.Database) *side {
	t.Helper()
	t.Cleanup(func() { _ = db.Drop(context.Background()) })
	c := db.Collection("c")
	if _, err := c.InsertOne(t.Context(), bson.D{{Key: "_id", Value: "exists"}}); err != nil {
		t.Fatal(err)
	}
	changes, err := c.Watch(t.Context(), mongo.Pipeline{},
		options.ChangeStream().SetMaxAwaitTime(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = changes.Close(context.Background()) })
	return &side{c: c, changes: changes}
}

// check is one round: documents are stored, read in several ways, and updated.
func (p twoServers) check(t *rapid.T) {
	documents := differential.Documents(t)
	p.real.store(t, documents)
	p.ours.store(t, documents)
	for range 4 {
		p.find(t, differential.Filter(t))
		p.project(t, differential.Operation(t), true)
		p.project(t, differential.Expression(t), false)
	}
	for range 4 {
		if !p.update(t, differential.Statement(t)) {
			p.real.told(t)
			p.ours.told(t)
			return // they have parted
		}
	}
	if a, b := p.real.told(t), p.ours.told(t); a != b {
		t.Fatalf("the real server tells\n%s\nours\n%s", a, b)
	}
}

var byID = bson.D{{Key: "_id", Value: 1}}

// find compares what a filter matches.
func (p twoServers) find(t *rapid.T, filter bson.D) {
	p.read(t, bson.D{
		{Key: "find", Value: "c"}, {Key: "filter", Value: filter}, {Key: "sort", Value: byID},
	}, true)
}

// project compares the values of an expression.
func (p twoServers) project(t *rapid.T, expression any, failures bool) {
	p.read(t, bson.D{
		{Key: "aggregate", Value: "c"},
		{Key: "pipeline", Value: bson.A{
			bson.D{{Key: "$sort", Value: byID}},
			bson.D{{Key: "$project", Value: bson.D{{Key: "x", Value: expression}}}},
		}},
		{Key: "cursor", Value: bson.D{}},
	}, failures)
}

// read compares what two servers answer. That both fail is enough, the suite compares the codes.
// Without failures it has to be that neither does: a server's optimizer evaluates constants that
// are not needed, and does not evaluate what is not needed.
func (p twoServers) read(t *rapid.T, command bson.D, failures bool) {
	real, ours := p.real.run(t, command), p.ours.run(t, command)
	fails := 0
	for _, answer := range []serverReply{real, ours} {
		if answer.code() != 0 {
			fails++
		}
	}
	if ours.unsupported() || fails == 2 || fails == 1 && !failures {
		return
	}
	if a, b := real.found(), ours.found(); a != b {
		t.Fatalf("%s\nthe real server:\n%s\n%s\nours:\n%s\n%s", text(command), a, real.message(), b,
			ours.message())
	}
}

// update compares the answer to an update, and the documents afterwards. It reports false where
// the two may have become different.
func (p twoServers) update(t *rapid.T, statement bson.D) bool {
	before := p.real.run(t, everything)
	command := bson.D{{Key: "update", Value: "c"}, {Key: "updates", Value: bson.A{statement}}}
	real, ours := p.real.run(t, command), p.ours.run(t, command)
	if _, pipeline := statement[1].Value.(bson.A); ours.unsupported() ||
		pipeline && (real.code() != 0) != (ours.code() != 0) {
		return false
	}
	if real.code() != 0 && ours.code() != 0 {
		return true // both wrote nothing
	}
	a := real.counts() + p.real.run(t, everything).found()
	b := ours.counts() + p.ours.run(t, everything).found()
	if a != b {
		t.Fatalf("%s\nof\n%s\nthe real server:\n%s\n%s\nours:\n%s\n%s", text(command),
			before.found(), a, real.message(), b, ours.message())
	}
	return true
}

var everything = bson.D{{Key: "find", Value: "c"}, {Key: "sort", Value: byID}}

func (s *side) store(t *rapid.T, documents []bson.D) {
	if _, err := s.c.DeleteMany(context.Background(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.c.InsertMany(context.Background(), documents); err != nil {
		t.Fatal(err)
	}
	s.told(t)
}

// told returns the changes since it was last called, without what is different every time.
func (s *side) told(t *rapid.T) string {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s.marks++
	mark := fmt.Sprintf("mark %d", s.marks)
	if _, err := s.c.InsertOne(ctx, bson.D{{Key: "_id", Value: mark}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.c.DeleteOne(ctx, bson.D{{Key: "_id", Value: mark}}); err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	for s.changes.Next(ctx) {
		event := s.changes.Current
		id := event.Lookup("documentKey", "_id")
		if name, ok := id.StringValueOK(); ok && name == mark {
			if event.Lookup("operationType").StringValue() == "delete" {
				return told.String()
			}
			continue
		}
		for _, name := range []string{"operationType", "documentKey", "updateDescription"} {
			fmt.Fprintf(&told, "%s ", event.Lookup(name))
		}
		if event.Lookup("operationType").StringValue() != "update" {
			fmt.Fprintf(&told, "%s", event.Lookup("fullDocument"))
		}
		told.WriteString("\n")
	}
	t.Fatalf("the changes end: %v", s.changes.Err())
	return ""
}

// serverReply is what a server answers.
type serverReply struct{ raw bson.Raw }

func (s *side) run(t *rapid.T, command bson.D) serverReply {
	raw, err := s.c.Database().RunCommand(context.Background(), command).Raw()
	var refused mongo.CommandError
	var failed mongo.WriteException
	switch {
	case errors.As(err, &refused) && refused.Raw != nil:
		raw = refused.Raw
	case errors.As(err, &failed) && failed.Raw != nil:
		raw = failed.Raw
	case err != nil:
		t.Fatalf("%s: %v", text(command), err)
	}
	return serverReply{raw}
}

// refusedByName is the code with which ours refuses what it lacks.
const refusedByName = 238

func (r serverReply) code() int64 {
	code := r.raw.Lookup("code")
	if list, ok := r.raw.Lookup("writeErrors").ArrayOK(); ok {
		code = list.Index(0).Document().Lookup("code")
	}
	number, _ := code.AsInt64OK()
	return number
}

func (r serverReply) unsupported() bool { return r.code() == refusedByName }

func (r serverReply) message() string {
	if list, ok := r.raw.Lookup("writeErrors").ArrayOK(); ok {
		return list.Index(0).Document().Lookup("errmsg").StringValue()
	}
	message, _ := r.raw.Lookup("errmsg").StringValueOK()
	return message
}

func (r serverReply) found() string {
	if r.code() != 0 {
		return fmt.Sprintf("error %d", r.code())
	}
	return strings.ReplaceAll(r.raw.Lookup("cursor", "firstBatch").String(), "},{\"_id\"",
		"},\n{\"_id\"")
}

func (r serverReply) counts() string {
	if r.code() != 0 {
		return fmt.Sprintf("error %d\n", r.code())
	}
	return fmt.Sprintf("n %s modified %s upserted %s\n", r.raw.Lookup("n"),
		r.raw.Lookup("nModified"), r.raw.Lookup("upserted"))
}

func text(command bson.D) string {
	line, err := bson.MarshalExtJSON(command, true, false)
	if err != nil {
		return err.Error()
	}
	return string(line)
}
