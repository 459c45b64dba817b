package memongo

import (
	"context"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Command is what [Options.Faults] is told of a command.
type Command struct {
	Name       string
	Database   string
	Collection string // "" for commands about none
	AppName    string // of the client
	Document   bson.D // the command as it came; not to be changed
}

// Fault is what happens to one command. The zero value is nothing. Unlike a fail point it can lose
// an answer to a command that has run.
type Fault struct {
	Delay      time.Duration // before the command runs
	Drop       bool          // the connection breaks in place of running it
	Code       int32         // answered in place of running it
	Labels     []string      // of that answer
	DelayReply time.Duration // after it has run
	LoseReply  bool          // it runs, and then the connection breaks
}

// fault is what happens to a request, from whatever source.
type fault struct {
	Fault
	fromPoint         bool
	writeConcernError bson.D
	labels            []string // nil: the server's own
}

// fault asks the fail point and the options.
func (s *Server) fault(r *request) fault {
	f, hit := s.points.check(r)
	if hit || s.options.Faults == nil {
		return f
	}
	f.Fault = s.options.Faults(Command{
		Name:       r.command.name,
		Database:   r.db,
		Collection: r.target(),
		AppName:    r.conn.appName,
		Document:   r.args.fields,
	})
	if f.Code != 0 {
		f.labels = f.Labels
	}
	return f
}

// target is the collection that a command is about, "" for none.
func (r *request) target() string {
	field := r.command.name
	if r.command.name == "getMore" {
		field = "collection"
	}
	v, _ := value.Get(r.args.fields, field)
	name, _ := v.(string)
	return name
}

// before happens before the command runs.
func (f fault) before(r *request) error {
	err := sleep(r.ctx, f.Delay)
	if f.fromPoint {
		r.server.points.held.done()
	}
	if err != nil {
		return err
	}
	switch {
	case f.Drop:
		return errCutConnection
	case f.Code == 0:
		return nil
	}
	message := "Failing command via 'failCommand' failpoint"
	if !f.fromPoint {
		message = "Failing command by a fault"
	}
	failed := mongoerr.New(f.Code, "%s", message)
	if f.labels == nil {
		return r.labelled(failed)
	}
	failed = r.about(failed)
	failed.Labels = f.labels
	return failed
}

// unconfirmed adds the write concern's error to the answer of a command that has run.
func (f fault) unconfirmed(r *request, answer bson.D) bson.D {
	labels := f.labels
	code, _ := value.Int64(value.Lookup(f.writeConcernError, "code"))
	e := mongoerr.New(int32(code), "")
	if labels == nil && r.retries() && mongoerr.Is(e, retryableCodes...) {
		labels = []string{retryableWrite}
	}
	if len(labels) > 0 {
		answer = append(bson.D{labelsField(labels)}, answer...)
	}
	if slices.Contains(notPrimaryCodes, e.Code) {
		now := r.server.topology.now()
		answer = append(answer, bson.E{Key: "topologyVersion", Value: now.version()})
	}
	return append(answer, bson.E{Key: "writeConcernError", Value: f.writeConcernError})
}

// after happens when the command has run.
func (f fault) after(r *request) error {
	if f.LoseReply {
		return errCutConnection
	}
	return sleep(r.conn.life, f.DelayReply)
}

// sleep waits, unless ctx ends before.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
