package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// concerns checks what the command says about how durable reads and writes are to be.
func (r *request) concerns() error {
	if err := r.checkReadConcern(); err != nil {
		return err
	}
	v, ok := r.args.get("writeConcern")
	doc, isDocument := v.(bson.D)
	switch {
	case !ok:
		return nil
	case !isDocument:
		return mongoerr.New(mongoerr.TypeMismatch,
			`"writeConcern" had the wrong type. Expected object, found %s`, value.TypeName(v))
	case !r.command.is(writes) && !r.writesOut():
		return mongoerr.New(mongoerr.InvalidOptions, "Command does not support writeConcern")
	}
	return r.readWriteConcern(newArgs("WriteConcernOptions", doc))
}

// writesOut reports whether the command is an aggregation, which might write.
func (r *request) writesOut() bool { return r.command.name == "aggregate" }

// readWriteConcern reads what a client wants to have reached before it is answered. The one node
// is a majority, so whatever can be satisfied is at once.
func (r *request) readWriteConcern(a args) error {
	a.only("w", "j", "wtimeout", "fsync", "getLastError", "provenance")
	if ms, ok := a.int("wtimeout"); ok && ms < 0 {
		return mongoerr.New(mongoerr.FailedToParse, "wtimeout must be a non-negative number")
	}
	switch w, _ := a.get("w"); w := w.(type) {
	case nil:
	case string:
		if w != "majority" {
			r.unsatisfiable = mongoerr.New(mongoerr.UnknownReplWriteConcern, "No write concern mode "+
				"named '%s' found in replica set configuration", w)
		}
	case bson.D:
		return mongoerr.Unsupported("write concerns with tags")
	default:
		nodes, ok := a.int("w")
		if ok && (nodes < 0 || nodes > 50) {
			return mongoerr.New(mongoerr.FailedToParse,
				"w has to be a non-negative number and not greater than 50; found: %d", nodes)
		}
		if nodes > 1 {
			r.unsatisfiable = mongoerr.New(mongoerr.UnsatisfiableWriteConcern,
				"Not enough data-bearing nodes")
		}
	}
	return a.failed()
}

// confirmed adds to an answer that its write concern can't be met, if so.
func (r *request) confirmed(answer bson.D) bson.D {
	e := r.unsatisfiable
	if e == nil {
		return answer
	}
	return append(answer, bson.E{Key: "writeConcernError", Value: bson.D{
		{Key: "code", Value: e.Code},
		{Key: "codeName", Value: e.CodeName()},
		{Key: "errmsg", Value: e.Message},
	}})
}

// reached refuses what is no time that the cluster has reached.
func (r *request) reached(v any) error {
	at, ok := v.(bson.Timestamp)
	if !ok {
		return mongoerr.New(mongoerr.TypeMismatch,
			`"afterClusterTime" had the wrong type. Expected timestamp, found %s`, value.TypeName(v))
	}
	return r.notLater("afterClusterTime", at)
}

// notLater refuses a time that the cluster has not reached yet.
func (r *request) notLater(field string, at bson.Timestamp) error {
	if now := r.server.engine.Gossip(r.told()); at.After(now) {
		return mongoerr.New(mongoerr.InvalidOptions, "readConcern %s value must "+
			"not be greater than the current clusterTime. Requested clusterTime: { ts: %s }; "+
			"current clusterTime: { ts: %s }", field, value.Show(at), value.Show(now))
	}
	return nil
}

// checkReadConcern refuses a read concern that the server does not know, or that is not for the
// command.
func (r *request) checkReadConcern() error {
	v, ok := r.args.get("readConcern")
	if !ok {
		return nil
	}
	doc, isDocument := v.(bson.D)
	if !isDocument {
		return mongoerr.New(mongoerr.FailedToParse, "readConcern field should be an object")
	}
	level := "local"
	for _, e := range doc {
		switch e.Key {
		case "level":
			text, isText := e.Value.(string)
			if !isText {
				return mongoerr.New(mongoerr.TypeMismatch,
					`"level" had the wrong type. Expected string, found %s`, value.TypeName(e.Value))
			}
			level = text
		case "afterClusterTime":
			if err := r.reached(e.Value); err != nil {
				return err
			}
		case "atClusterTime", "provenance", "allowTransactionTableSnapshot":
		default:
			return mongoerr.New(mongoerr.InvalidOptions,
				"Unrecognized option in readConcern: %s", e.Key)
		}
	}
	if err := r.checkReadTime(doc, level); err != nil {
		return err
	}
	switch level {
	case "local", "majority", "linearizable", "available", "snapshot":
	default:
		return mongoerr.New(mongoerr.FailedToParse, "readConcern.level must be either 'local', "+
			"'majority', 'linearizable', 'available', or 'snapshot'")
	}
	plain := level == "local" || r.command.is(reads) && level != "snapshot"
	if !plain && !r.supportsSnapshot() && !r.inTransaction() {
		return mongoerr.New(mongoerr.InvalidOptions, "Command %s does not support { readConcern: "+
			"{ level: \"%s\", provenance: \"clientSupplied\" } } :: caused by :: read concern "+
			"not supported", r.command.name, level)
	}
	return nil
}

// checkReadTime refuses a time of a snapshot where none is read, or that has not come yet.
func (r *request) checkReadTime(concern bson.D, level string) error {
	v, ok := value.Get(concern, "atClusterTime")
	_, after := value.Get(concern, "afterClusterTime")
	at, isTimestamp := v.(bson.Timestamp)
	switch {
	case !ok:
		return nil
	case !isTimestamp:
		return mongoerr.New(mongoerr.TypeMismatch,
			`"atClusterTime" had the wrong type. Expected timestamp, found %s`, value.TypeName(v))
	case level != "snapshot":
		return mongoerr.New(mongoerr.InvalidOptions,
			"atClusterTime field can be set only if level is equal to snapshot")
	case after:
		return mongoerr.New(mongoerr.InvalidOptions, "Specifying a timestamp for readConcern "+
			"snapshot in a causally consistent session is not allowed.")
	}
	if r.inTransaction() {
		return mongoerr.Unsupported("transactions at a cluster time")
	}
	return r.notLater("atClusterTime", at)
}
