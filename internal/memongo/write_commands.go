package memongo

import (
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/update"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func writeCommands() []*command {
	const traits = writes | transactional | retryable
	return []*command{
		{name: "insert", traits: traits, run: insert,
			fields: "documents ordered bypassDocumentValidation stmtId stmtIds"},
		{name: "update", traits: traits, run: updateDocuments,
			fields: "updates ordered bypassDocumentValidation stmtId stmtIds let"},
		{name: "delete", traits: traits, run: deleteDocuments,
			fields: "deletes ordered stmtId stmtIds let"},
		{name: "findAndModify", traits: traits, run: findAndModify,
			fields: findAndModifyFields},
		{name: "findandmodify", traits: traits, run: findAndModify,
			fields: findAndModifyFields},
	}
}

// writer is how a command changes documents, within a transaction or not.
type writer interface {
	View(ns ...storage.Namespace) (storage.View, error)
	Insert(ns storage.Namespace, doc bson.D) error
	Update(ns storage.Namespace, rec storage.Record, r update.Result) error
	Delete(ns storage.Namespace, rec storage.Record) error
}

// writer returns the writer of the command's nth statement.
func (r *request) writer(n int) (writer, error) {
	bypass := r.args.flag("bypassDocumentValidation")
	if r.txn != nil {
		open, err := r.opened()
		if err == nil {
			open.SetBypassValidation(bypass)
		}
		return open, err
	}
	w := storage.Write{BypassValidation: bypass}
	if r.statement != nil {
		w.LSID, w.TxnNumber, w.StmtID = r.lsid, &r.txnNumber, r.statement.id(n)
	}
	return r.server.engine.Statement(w), nil
}

// bulk is a command of several statements, each of which may fail by itself.
type bulk struct {
	r       *request
	ns      storage.Namespace
	ordered bool
	errors  bson.A
	retried bson.A // ids of statements that an earlier try has run
	n       int64
}

func (r *request) bulk() (*bulk, error) {
	ns, err := r.collection()
	if err != nil {
		return nil, err
	}
	ordered, given := r.args.bool("ordered")
	return &bulk{r: r, ns: ns, ordered: ordered || !given}, r.args.failed()
}

// each runs the statements. One that fails is noted, and ends the rest if they are ordered. What
// ends the command as a whole is returned.
func (b *bulk) each(count int, run func(n int) (bson.D, error), again func(int, bson.D)) error {
	if count == 0 {
		return mongoerr.New(mongoerr.InvalidLength,
			"Write batch sizes must be between 1 and %d. Got 0 operations.", maxWriteBatch)
	}
	if err := b.r.numbered(count); err != nil {
		return err
	}
	for n := range count {
		if result, ok := b.r.done(n); ok {
			again(n, result)
			b.retried = append(b.retried, b.r.statement.id(n))
			continue
		}
		result, err := b.statement(n, run)
		if err == nil {
			if wrote(result) {
				b.r.remember(n, result)
			}
			continue
		}
		if b.fatal(err) {
			return err
		}
		b.note(n, err)
		if b.ordered || b.r.txn != nil {
			break
		}
	}
	return nil
}

// wrote reports whether a statement has left a trace by which a server knows it again.
func wrote(result bson.D) bool {
	count := "n"
	_, inserted := value.Get(result, "_id")
	if _, updates := value.Get(result, "nModified"); updates && !inserted {
		count = "nModified"
	}
	n, counted := value.Lookup(result, count).(int64)
	return !counted || n > 0
}

func (b *bulk) statement(n int, run func(n int) (bson.D, error)) (result bson.D, err error) {
	err = b.r.unbusy(func() error {
		result, err = run(n)
		return err
	})
	return result, err
}

// fatal reports whether an error is the command's and not a statement's.
func (b *bulk) fatal(err error) bool {
	var e *mongoerr.Error
	switch {
	case !errors.As(err, &e):
		return true
	case b.r.interrupted() != nil, mongoerr.Is(e, mongoerr.InvalidNamespace,
		mongoerr.UnrecognizedStage, mongoerr.StageOfSeveralFields):
		return true
	case b.r.txn != nil:
		return mongoerr.Is(err, mongoerr.WriteConflict, mongoerr.NoSuchTransaction,
			mongoerr.SnapshotUnavailable, mongoerr.TransactionExceededLifetime,
			mongoerr.OperationNotSupportedInTxn)
	}
	return false
}

func (b *bulk) note(n int, err error) {
	var e *mongoerr.Error
	errors.As(err, &e)
	noted := bson.D{
		{Key: "index", Value: int32(n)},
		{Key: "code", Value: e.Code},
		{Key: "errmsg", Value: e.Message},
	}
	b.errors = append(b.errors, append(noted, e.Fields...))
	if b.r.txn != nil {
		b.r.session.failed(b.r.txn)
	}
}

// answer completes the command's answer.
func (b *bulk) answer(more ...bson.E) bson.D {
	answer := bson.D{{Key: "n", Value: int32(b.n)}}
	if len(b.errors) > 0 {
		answer = append(answer, bson.E{Key: "writeErrors", Value: b.errors})
	}
	answer = append(answer, more...)
	if len(b.retried) > 0 {
		answer = append(answer, bson.E{Key: "retriedStmtIds", Value: b.retried})
	}
	return b.r.confirmed(answer)
}

func insert(r *request) (bson.D, error) {
	b, err := r.bulk()
	if err != nil {
		return nil, err
	}
	docs := r.args.documents("documents")
	r.args.require("documents")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	run := func(n int) (bson.D, error) {
		w, err := r.writer(n)
		if err != nil {
			return nil, err
		}
		doc, err := r.server.engine.Prepare(docs[n])
		if err != nil {
			return nil, err
		}
		if err := w.Insert(b.ns, doc); err != nil {
			return nil, err
		}
		b.n++
		return bson.D{}, nil
	}
	if err := b.each(len(docs), run, func(int, bson.D) { b.n++ }); err != nil {
		return nil, err
	}
	return b.answer(), nil
}
