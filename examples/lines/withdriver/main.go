// Command withdriver prints new orders. It remembers its position, retries, keeps what could not be
// handled as dead letters and stops gracefully. Command withfwgen beside it does the same, and more.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

// Order is a document of the collection orders.
type Order struct {
	ID    string `bson:"_id"`
	Total int    `bson:"total"`
}

// ErrInvalid is not worth another attempt.
var ErrInvalid = errors.New("invalid order")

func handle(ctx context.Context, o *Order) error {
	if o.Total < 0 {
		return ErrInvalid
	}
	fmt.Println("handled", o.ID)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := mongo.Connect(options.Client().ApplyURI(os.Getenv("MONGODB_URI")))
	if err != nil {
		log.Fatal(err)
	}
	majority := options.Database().SetWriteConcern(writeconcern.Majority())
	s := &stream{db: client.Database(os.Getenv("DATABASE"), majority)}
	for failures := 0; ctx.Err() == nil; failures++ {
		handled, err := s.run(ctx)
		if handled {
			failures = 0
		}
		if ctx.Err() == nil {
			log.Print("the stream failed, and is opened again: ", err)
			wait(ctx, failures, time.Second, time.Minute)
		}
	}
}

type stream struct {
	db    *mongo.Database
	token bson.Raw
	saved time.Time
	dirty int
}

const name = "orders"

func (s *stream) run(ctx context.Context) (handled bool, err error) {
	if err := s.load(ctx); err != nil {
		return false, err
	}
	opts := options.ChangeStream().SetMaxAwaitTime(time.Second)
	if s.token != nil {
		opts.SetStartAfter(s.token)
	}
	inserts := mongo.Pipeline{{{Key: "$match", Value: bson.D{{Key: "operationType", Value: "insert"}}}}}
	cs, err := s.db.Collection("orders").Watch(ctx, inserts, opts)
	if err != nil {
		return false, err
	}
	defer func() { _ = cs.Close(context.WithoutCancel(ctx)) }()
	for {
		if cs.TryNext(ctx) {
			if err := s.event(ctx, cs.Current); err != nil {
				return handled, err
			}
			handled = true
			s.dirty++
		}
		if err := cs.Err(); err != nil || ctx.Err() != nil {
			final, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return handled, errors.Join(err, s.save(final))
		}
		s.token = cs.ResumeToken()
		if idle := time.Since(s.saved); s.dirty >= 10_000 || s.dirty > 0 && idle > time.Second ||
			idle > time.Minute {
			if err := s.save(ctx); err != nil {
				return handled, err
			}
		}
	}
}

func (s *stream) event(ctx context.Context, raw bson.Raw) error {
	var ev struct {
		FullDocument *Order `bson:"fullDocument"`
	}
	err := bson.Unmarshal(raw, &ev)
	if err != nil {
		return s.deadLetter(ctx, raw, err, 1)
	}
	for attempt := 1; ; attempt++ {
		if err = attemptOnce(ctx, ev.FullDocument); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if attempt == 5 || errors.Is(err, ErrInvalid) {
			return s.deadLetter(ctx, raw, err, attempt)
		}
		wait(ctx, attempt-1, 200*time.Millisecond, 10*time.Second)
	}
}

func attemptOnce(ctx context.Context, o *Order) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return handle(ctx, o)
}

func wait(ctx context.Context, n int, initial, longest time.Duration) {
	d := min(initial<<min(n, 20), longest)
	d += time.Duration((rand.Float64() - 0.5) * 0.4 * float64(d))
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (s *stream) deadLetter(ctx context.Context, raw bson.Raw, cause error, attempts int) error {
	letter := bson.D{
		{Key: "stream", Value: name}, {Key: "event", Value: raw}, {Key: "error", Value: cause.Error()},
		{Key: "attempts", Value: attempts}, {Key: "createdAt", Value: time.Now()},
	}
	id := bson.D{{Key: "_id", Value: raw.Lookup("_id")}}
	for failures := 0; ; failures++ {
		_, err := s.db.Collection("dead_letters").UpdateOne(ctx, id,
			bson.D{{Key: "$set", Value: letter}}, options.UpdateOne().SetUpsert(true))
		if err == nil || ctx.Err() != nil {
			return err
		}
		log.Print("a dead letter cannot be stored: ", err)
		wait(ctx, failures, time.Second, time.Minute)
	}
}

func (s *stream) load(ctx context.Context) error {
	if s.token != nil {
		return nil
	}
	var doc struct {
		Token bson.Raw `bson:"token"`
	}
	err := s.db.Collection("positions").FindOne(ctx, bson.D{{Key: "_id", Value: name}}).Decode(&doc)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil
	}
	s.token = doc.Token
	return err
}

func (s *stream) save(ctx context.Context) error {
	if s.token == nil {
		return nil
	}
	_, err := s.db.Collection("positions").UpdateOne(ctx, bson.D{{Key: "_id", Value: name}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "token", Value: s.token}}}},
		options.UpdateOne().SetUpsert(true))
	if err == nil {
		s.saved, s.dirty = time.Now(), 0
	}
	return err
}
