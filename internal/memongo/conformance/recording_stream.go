package conformance

import (
	"fmt"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	// eventPatience bounds how long events are awaited.
	eventPatience = 10 * time.Second

	// awaitMS is the maxTimeMS of a getMore.
	awaitMS = 1000
)

// followed is a cursor of a change stream.
type followed struct {
	id         int64
	db         string
	collection string
	read       []bson.D // events that were not asked for yet
	latest     bson.D   // the token of the last event that was read
	token      any      // the token of the last event that was asked for
	time       any      // its cluster time
	pbrt       bson.D
	disorder   string
}

func (s *followed) values() map[string]any {
	return map[string]any{"token": s.token, "pbrt": s.pbrt, "time": s.time, "cursor": s.id}
}

// follow takes over the cursor of an answer to an aggregate.
func (p *player) follow(who string, answer bson.D) *followed {
	s := &followed{}
	p.streams[who] = s
	s.take(answer, "firstBatch")
	return s
}

// take notes what an answer says of a cursor, and returns the events.
func (s *followed) take(answer bson.D, batch string) []bson.D {
	s.id, _ = lookup(answer, "cursor", "id").(int64)
	if ns, ok := lookup(answer, "cursor", "ns").(string); ok {
		s.db, s.collection = splitNamespace(ns)
	}
	var events []bson.D
	list, _ := lookup(answer, "cursor", batch).(bson.A)
	for _, v := range list {
		event, _ := v.(bson.D)
		events = append(events, event)
		if token, ok := lookup(event, "_id").(bson.D); ok {
			s.inOrder(token)
			s.latest = token
		}
		s.handOut(event)
	}
	if pbrt, ok := lookup(answer, "cursor", "postBatchResumeToken").(bson.D); ok {
		s.inOrder(pbrt)
		s.pbrt = pbrt
	}
	return events
}

// handOut notes the last event that the recording has seen.
func (s *followed) handOut(event bson.D) {
	s.token, s.time = lookup(event, "_id"), lookup(event, "clusterTime")
}

// inOrder checks that tokens never go back, as they sort as text.
func (s *followed) inOrder(token bson.D) {
	data, _ := lookup(token, "_data").(string)
	for _, before := range []bson.D{s.latest, s.pbrt} {
		if last, _ := lookup(before, "_data").(string); data < last {
			s.disorder = fmt.Sprintf("token %s comes after %s", data, last)
		}
	}
}

func splitNamespace(ns string) (db, collection string) {
	for i := range ns {
		if ns[i] == '.' {
			return ns[:i], ns[i+1:]
		}
	}
	return ns, ""
}

func (p *player) playStream(t turn) []string {
	p.c.Helper()
	if t.verb == "open" {
		return p.open(t)
	}
	s := p.streams[t.who]
	if s == nil {
		p.c.Fatalf("%s: there is no stream %s", t.source, t.who)
	}
	if t.verb == "more" {
		answer, err := p.getMore(t.who, s, p.command(t))
		s.take(answer, "nextBatch")
		return p.lines(answer, err)
	}
	n, err := strconv.Atoi(t.arg)
	if err != nil {
		p.c.Fatalf("%s: %v", t.source, err)
	}
	return p.events(t.who, s, n)
}

// open opens a stream. An answer that is no error says nothing.
func (p *player) open(t turn) []string {
	p.c.Helper()
	command := p.command(t)
	if lookup(command, "cursor") == (missing{}) {
		command = append(command, bson.E{Key: "cursor", Value: bson.D{}})
	}
	answer, err := p.send(p.database(t), p.session(t.who), command)
	p.last[t.who] = answer
	if lookup(answer, "cursor") == (missing{}) {
		return p.lines(answer, err)
	}
	s := &followed{}
	p.streams[t.who] = s
	s.read = s.take(answer, "firstBatch")
	return nil
}

// events reads until there are n events, and says whether there are more or the cursor is closed.
func (p *player) events(who string, s *followed, n int) (lines []string) {
	p.c.Helper()
	limit := time.Now().Add(eventPatience)
	for len(s.read) < n && s.id != 0 && time.Now().Before(limit) {
		answer, err := p.getMore(who, s, bson.D{{Key: "maxTimeMS", Value: awaitMS}})
		if err != nil || lookup(answer, "cursor") == (missing{}) {
			s.id = 0
			lines = p.lines(answer, err)
			break
		}
		s.read = append(s.read, s.take(answer, "nextBatch")...)
	}
	var events []string
	for _, event := range s.read[:min(n, len(s.read))] {
		events = append(events, p.notation.value(event))
		s.handOut(event)
	}
	s.read = s.read[len(events):]
	lines = append(events, lines...)
	switch {
	case s.disorder != "":
		lines = append(lines, s.disorder)
	case s.id == 0 && len(s.read) == 0 && len(lines) == len(events):
		lines = append(lines, "closed")
	case len(lines) < n:
		lines = append(lines, "no more events")
	}
	return lines
}

func (p *player) getMore(who string, s *followed, options bson.D) (bson.D, error) {
	p.c.Helper()
	command := append(bson.D{
		{Key: "getMore", Value: s.id}, {Key: "collection", Value: s.collection},
	}, options...)
	return p.send(p.client.Database(s.db), p.session(who), command)
}
