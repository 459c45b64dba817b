package memongo

import (
	"context"
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// request is a command on its way.
type request struct {
	server  *Server
	conn    *conn
	command *command
	db      string
	args    args
	ctx     context.Context // ends with the connection, maxTimeMS, the session, the reign
	reign   context.Context // ends when the node steps down; nil for a command that may read only
	now     bson.DateTime   // $$NOW

	lsid      bson.D
	session   *session
	txnNumber int64
	statement *retries     // nil unless it is a retryable write
	txn       *transaction // nil outside a transaction

	readAt bson.Timestamp // of the snapshot that is read outside of a transaction; zero: none
	again  bool           // another answer follows by itself

	// unsatisfiable is why the write concern can never be met; nil if it is.
	unsatisfiable *mongoerr.Error
}

// collection returns the namespace that the command is about.
func (r *request) collection() (storage.Namespace, error) {
	v, _ := r.args.get(r.command.name)
	name, ok := v.(string)
	if !ok {
		return storage.Namespace{}, mongoerr.New(mongoerr.BadValue,
			"collection name has invalid type %s", value.TypeName(v))
	}
	ns := storage.Namespace{DB: r.db, Collection: name}
	return ns, storage.CheckNamespace(ns)
}

// vars are what expressions of the command see.
func (r *request) vars() *expr.Vars {
	return &expr.Vars{Now: r.now, ClusterTime: r.server.engine.ClusterTime()}
}

// legacyHello reports whether the client uses the name of hello from before 5.0.
func (r *request) legacyHello() bool { return r.command.name != "hello" }

// limited ends the command's context when maxTimeMS is over. A getMore's limit is how long it
// waits for data, which is no error.
func (r *request) limited() (context.CancelFunc, error) {
	ms, err := r.maxTime()
	if err != nil || ms == 0 || r.command.name == "getMore" {
		return func() {}, err
	}
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithTimeoutCause(r.ctx, time.Duration(ms)*time.Millisecond,
		mongoerr.New(mongoerr.MaxTimeMSExpired, "operation exceeded time limit"))
	return cancel, nil
}

// maxTime returns maxTimeMS; 0 for none.
func (r *request) maxTime() (int64, error) {
	v, ok := r.args.get("maxTimeMS")
	if !ok {
		return 0, nil
	}
	ms, integral := value.Int64(v)
	switch {
	case !value.IsNumber(v):
		return 0, mongoerr.New(mongoerr.BadValue, "maxTimeMS must be a number")
	case !integral:
		return 0, mongoerr.New(mongoerr.BadValue, "maxTimeMS has non-integral value")
	case ms < 0 || ms > math.MaxInt32:
		return 0, mongoerr.New(mongoerr.BadValue, "%d value for maxTimeMS is out of range", ms)
	}
	return ms, nil
}

// under ends the command's context when another one does, with its cause.
func (r *request) under(other context.Context) context.CancelFunc {
	ctx, cancel := context.WithCancelCause(r.ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	r.ctx = ctx
	return func() {
		stop()
		cancel(nil)
	}
}

// interrupted returns why the command must not go on, if so. The end of the reign is looked at
// itself: it takes a moment to end the command's context, and what the command waits for may come
// in that moment.
func (r *request) interrupted() error {
	if r.reign != nil && r.reign.Err() != nil {
		return context.Cause(r.reign)
	}
	return context.Cause(r.ctx)
}
