package fwtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// StateOption says where an app keeps its state, if not where it does by default.
type StateOption func(*stored)

// WithPrefix is for an app with a Prefix of its own in fw.Config. Defaults to "_fw".
func WithPrefix(prefix string) StateOption {
	return func(s *stored) { s.prefix = prefix }
}

// WithCollection is for a stream with a collection of its own for dead letters. Defaults to
// "_fw_dlq", with the prefix of the app.
func WithCollection(name string) StateOption {
	return func(s *stored) { s.letters = name }
}

// stored is where an app keeps its state.
type stored struct {
	db              *mongo.Database
	prefix, letters string
}

func stateIn(db *mongo.Database, opts []StateOption) stored {
	s := stored{db: db, prefix: "_fw"}
	for _, opt := range opts {
		opt(&s)
	}
	if s.letters == "" {
		s.letters = s.prefix + "_dlq"
	}
	return s
}

// DeadLetter is a stored dead letter. Raw has all of it.
type DeadLetter struct {
	ID        string `bson:"_id"` // stream/event
	Operation string `bson:"operationType"`
	Error     struct {
		Type, Kind, Message string
	} `bson:"error"`
	Attempts     int       `bson:"attempts"`
	Status       string    `bson:"status"`
	Key          bson.Raw  `bson:"documentKey"`
	FullDocument bson.Raw  `bson:"fullDocument"`
	Metadata     bson.Raw  `bson:"metadata"`
	CreatedAt    time.Time `bson:"createdAt"`

	Raw bson.Raw `bson:"-"`
}

// RequireDeadLetters waits until a stream has n dead letters in an app's state database, and
// returns them in the order of their creation. It fails the test if there are more, or fewer
// after [Patience], and then says which there are. With n = 0 it looks once and does not wait: let
// something be handled that comes after the event in question, such as by [RequirePosition].
func RequireDeadLetters(
	t TB, db *mongo.Database, stream string, n int, opts ...StateOption,
) []DeadLetter {
	t.Helper()
	s := stateIn(db, opts)
	var found []DeadLetter
	var problem error
	err := await(func() bool {
		found, problem = s.deadLetters(stream)
		return problem != nil || len(found) >= n
	}, nil)
	switch {
	case problem != nil:
		t.Fatalf("fwtest: read dead letters: %v", problem)
	case err != nil || len(found) != n:
		t.Fatalf("fwtest: stream %s has %d dead letters, want %d%s%s", stream, len(found), n,
			messages(found), s.others(s.letters, "streamName", stream))
	}
	return found
}

func messages(letters []DeadLetter) string {
	text := ""
	for _, l := range letters {
		text += fmt.Sprintf("\n%s after attempt %d (%s): %s", l.ID, l.Attempts, l.Error.Kind,
			l.Error.Message)
	}
	return text
}

// others says of which other streams a collection has something, for whoever has mistaken a name.
func (s stored) others(collection, field, stream string) string {
	where := s.db.Name() + "." + collection
	var names []string
	filter := bson.D{{Key: field, Value: bson.D{{Key: "$ne", Value: stream}}}}
	err := s.db.Collection(collection).Distinct(context.Background(), field, filter).Decode(&names)
	switch {
	case err != nil:
		return "" // what is asked for is no answer to the test's question
	case len(names) == 0:
		return fmt.Sprintf("; %s has none of other streams", where)
	}
	return fmt.Sprintf("; %s has some of: %s", where, strings.Join(names, ", "))
}

func (s stored) deadLetters(stream string) ([]DeadLetter, error) {
	ctx := context.Background()
	cursor, err := s.db.Collection(s.letters).Aggregate(ctx, mongo.Pipeline{
		{{Key: "$match", Value: bson.D{{Key: "streamName", Value: stream}}}},
		{{Key: "$sort", Value: bson.D{{Key: "createdAt", Value: 1}, {Key: "clusterTime", Value: 1}}}},
	})
	if err != nil {
		return nil, err
	}
	var rows []bson.Raw
	if err := cursor.All(ctx, &rows); err != nil {
		return nil, err
	}
	letters := make([]DeadLetter, len(rows))
	for i, row := range rows {
		if err := bson.Unmarshal(row, &letters[i]); err != nil {
			return nil, err
		}
		letters[i].Raw = row
	}
	return letters, nil
}

// Position is a stored position.
type Position struct {
	Kind        string         `bson:"kind"` // event, idle, start or invalidate
	EventID     string         `bson:"eventId"`
	ClusterTime bson.Timestamp `bson:"clusterTime"`
	Token       bson.Raw       `bson:"token"`
	Term        int64          `bson:"-"`
}

// RequirePosition waits until the position of a stream in an app's state database is that of an
// event, by its ID, or beyond, and returns it: the event is settled, and does not come again. For a
// stream that runs on all instances the stream is "name#instance". It fails the test if the position
// is not there after [Patience]. A position is saved a second after its event by default, in a
// bubble as well (see fw.CheckpointPolicy), and when the app stops.
func RequirePosition(
	t TB, db *mongo.Database, stream, eventID string, opts ...StateOption,
) Position {
	t.Helper()
	s := stateIn(db, opts)
	var at Position
	var problem error
	err := await(func() bool {
		at, problem = s.position(stream)
		return problem != nil || at.EventID == eventID || at.past(eventID)
	}, nil)
	switch {
	case problem != nil:
		t.Fatalf("fwtest: read position: %v", problem)
	case err != nil && at.Token == nil:
		t.Fatalf("fwtest: no position of stream %s is stored%s", stream,
			s.others(s.prefix+"_checkpoints", "_id", stream))
	case err != nil:
		t.Fatalf("fwtest: the position of stream %s is behind event %s after %s: it is %s", stream,
			eventID, Patience, at)
	}
	return at
}

// String says where the position is.
func (p Position) String() string {
	if p.EventID != "" {
		return fmt.Sprintf("%s %s under term %d", p.Kind, p.EventID, p.Term)
	}
	return fmt.Sprintf("%s %d.%d under term %d", p.Kind, p.ClusterTime.T, p.ClusterTime.I, p.Term)
}

// position reads a stored position; the zero one where there is none yet.
func (s stored) position(stream string) (Position, error) {
	var row struct {
		Term     int64
		Position Position
	}
	err := s.db.Collection(s.prefix+"_checkpoints").
		FindOne(context.Background(), bson.D{{Key: "_id", Value: stream}}).Decode(&row)
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		return Position{}, err
	}
	row.Position.Term = row.Term
	return row.Position, nil
}

// past reports whether the position is behind an event, as far as their cluster times tell.
func (p Position) past(eventID string) bool {
	var t, i uint32
	if _, err := fmt.Sscanf(eventID, "%d.%d-", &t, &i); err != nil {
		return false
	}
	return p.ClusterTime.After(bson.Timestamp{T: t, I: i})
}
