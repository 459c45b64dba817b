package memongo

import (
	"errors"
	"runtime/debug"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
	"github.com/fwgen/fwgen/internal/memongo/wire"
)

// errCutConnection says that the connection is to be broken in place of an answer.
var errCutConnection = errors.New("the connection is to be broken")

// dispatch answers a command. It reports whether another answer follows by itself, and false in
// place of an answer that is not to be given.
func (s *Server) dispatch(c *conn, req wire.Request) (answer bson.D, again, ok bool) {
	if req.Err != nil {
		return s.decorate(nil, failure(req.Err)), false, true
	}
	r, err := s.request(c, req)
	if err == nil {
		answer, err = r.run()
	}
	if errors.Is(err, errCutConnection) || c.life.Err() != nil {
		return nil, false, false
	}
	if err != nil {
		return s.decorate(r, failure(err)), false, true
	}
	return s.decorate(r, append(answer, bson.E{Key: "ok", Value: 1.0})), r.again, true
}

// told is the cluster time that the client has with its command; zero without one.
func (r *request) told() bson.Timestamp {
	if r == nil {
		return bson.Timestamp{}
	}
	gossip, _ := r.args.get("$clusterTime")
	at, _ := value.Lookup(gossip, "clusterTime").(bson.Timestamp)
	return at
}

// request finds out what a client wants. It returns a request, however incomplete, in any case.
func (s *Server) request(c *conn, req wire.Request) (*request, error) {
	name := req.Command[0].Key
	r := &request{server: s, conn: c, ctx: c.life, now: s.clock()}
	command, ok := s.commands[name]
	if !ok {
		return r, mongoerr.New(mongoerr.CommandNotFound, "no such command: '%s'", name)
	}
	if req.Legacy && !strings.EqualFold(name, "hello") && !strings.EqualFold(name, "isMaster") {
		return r, mongoerr.New(mongoerr.UnsupportedOpQueryCommand, "Unsupported OP_QUERY command: "+
			"%s. The client driver may require an upgrade.", name)
	}
	r.command = command
	r.args = newArgs(command.argsName(), req.Command)
	r.db, ok = r.args.str("$db")
	if !ok {
		return r, mongoerr.New(40571, "OP_MSG requests require a $db argument")
	}
	if command.is(adminOnly) && r.db != "admin" {
		return r, mongoerr.New(mongoerr.Unauthorized,
			"%s may only be run against the admin database.", command.name)
	}
	return r, r.args.failed()
}

// run does what the client wants, or what a fault or fail point makes of it.
func (r *request) run() (bson.D, error) {
	fault := r.server.fault(r)
	if err := fault.before(r); err != nil {
		return nil, err
	}
	cancel, err := r.limited()
	defer cancel()
	if err != nil {
		return nil, err
	}
	answer, err := r.guarded()
	if err == nil && fault.writeConcernError != nil && (!r.command.is(reads) || r.writesOut()) {
		answer = fault.unconfirmed(r, answer)
	}
	return answer, errors.Join(fault.after(r), err)
}

// guarded runs the command where the node's role and the client's session allow it.
func (r *request) guarded() (bson.D, error) {
	now := r.server.topology.now()
	switch {
	case r.command.is(writes), r.inTransaction():
		if err := now.writable(); err != nil {
			return nil, r.refused(err)
		}
		r.reign = now.reign
		defer r.under(now.reign)()
	case r.command.is(reads) && !now.primary && !r.acceptsSecondary():
		return nil, r.refused(mongoerr.New(mongoerr.NotPrimaryNoSecondaryOk,
			"not primary and secondaryOk=false"))
	}
	done, err := r.join()
	if err != nil {
		return nil, r.labelled(err)
	}
	answer, err := r.checked()
	return answer, r.labelled(done(err))
}

// checked runs the command where it has no field that nobody would look at.
func (r *request) checked() (bson.D, error) {
	if r.command.fields != anyField {
		r.args.onlyIf(r.command.knows)
	}
	if err := errors.Join(r.args.failed(), r.apiVersion(), r.concerns()); err != nil {
		return nil, err
	}
	answer, err := r.contained()
	if err == nil {
		err = r.args.failed()
	}
	return answer, err
}

// apiVersion refuses a version of the stable API that there is not.
func (r *request) apiVersion() error {
	version, versioned := r.args.str("apiVersion")
	_, strict := r.args.bool("apiStrict")
	_, deprecation := r.args.bool("apiDeprecationErrors")
	switch {
	case versioned && version != "1":
		return mongoerr.New(322, "Cannot accept API version %s", version)
	case !versioned && (strict || deprecation):
		return mongoerr.New(4886600, "Provided apiStrict and/or apiDeprecationErrors without "+
			"passing apiVersion")
	}
	return nil
}

// contained runs the command. A fault of this package is answered as one, since the process is
// the user's.
func (r *request) contained() (answer bson.D, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, mongoerr.New(mongoerr.InternalError,
				"a fault in memongo, not in your code: %s panicked: %v\n%s", r.command.name, p, debug.Stack())
		}
	}()
	return r.command.run(r)
}

// acceptsSecondary reports whether the client reads from any node.
func (r *request) acceptsSecondary() bool {
	preference, ok := r.args.document("$readPreference")
	if !ok {
		return false
	}
	mode, _ := newArgs("$readPreference", preference).str("mode")
	return mode != "" && mode != "primary"
}

// decorate adds what every answer has.
func (s *Server) decorate(r *request, answer bson.D) bson.D {
	return append(answer,
		bson.E{Key: "$clusterTime", Value: bson.D{
			{Key: "clusterTime", Value: s.engine.Gossip(r.told())},
			{Key: "signature", Value: bson.D{
				{Key: "hash", Value: bson.Binary{Data: make([]byte, 20)}},
				{Key: "keyId", Value: int64(0)},
			}},
		}},
		bson.E{Key: "operationTime", Value: s.engine.ClusterTime()})
}

func labelsField(labels []string) bson.E {
	list := make(bson.A, len(labels))
	for i, label := range labels {
		list[i] = label
	}
	return bson.E{Key: "errorLabels", Value: list}
}

// failure is the answer to a command that failed.
func failure(err error) bson.D {
	var e *mongoerr.Error
	if !errors.As(err, &e) {
		e = mongoerr.New(mongoerr.InternalError, "%v", err)
	}
	answer := bson.D{}
	if len(e.Labels) > 0 {
		answer = append(answer, labelsField(e.Labels))
	}
	answer = append(answer,
		bson.E{Key: "ok", Value: 0.0},
		bson.E{Key: "errmsg", Value: e.Message})
	if e.Code != 0 {
		answer = append(answer,
			bson.E{Key: "code", Value: e.Code},
			bson.E{Key: "codeName", Value: e.CodeName()})
	}
	return append(answer, e.Fields...)
}
