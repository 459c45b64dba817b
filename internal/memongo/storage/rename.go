package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// Rename gives a collection another name in its database. 26 without a source, 48 where the
// target exists and is not to be dropped.
func (e *Engine) Rename(from, to Namespace, dropTarget bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := checkRename(from, to); err != nil {
		return err
	}
	state := e.state.Load()
	source, target := state.collection(from), state.collection(to)
	switch {
	case source == nil:
		return mongoerr.New(mongoerr.NamespaceNotFound, "Source collection %s does not exist", from)
	case target != nil && !dropTarget:
		return mongoerr.New(mongoerr.NamespaceExists, "target namespace exists")
	case from.DB != to.DB:
		return mongoerr.Unsupported("renameCollection between databases")
	}
	if err := e.busy(func(used Namespace) bool { return used == from || used == to }); err != nil {
		return err
	}
	e.commit([]change{renameChange(source, target, to)}, false)
	return nil
}

func renameChange(source, target *collection, to Namespace) change {
	renamed := Entry{Op: OpRename, NS: source.ns, UUID: source.uuid, To: to}
	renamed.Detail = bson.D{{Key: "to", Value: bson.D{
		{Key: "db", Value: to.DB}, {Key: "coll", Value: to.Collection},
	}}}
	if target != nil {
		renamed.DropTarget = target.uuid
		renamed.Detail = append(renamed.Detail, bson.E{Key: "dropTarget", Value: target.uuid})
	}
	return change{entry: renamed}
}

func checkRename(from, to Namespace) error {
	if err := CheckNamespace(from); err != nil {
		return err
	}
	if to.DB == "" || to.Collection == "" {
		return mongoerr.New(mongoerr.InvalidNamespace,
			"Invalid target namespace: %s.%s", to.DB, to.Collection)
	}
	if from == to {
		return mongoerr.New(mongoerr.IllegalOperation, "Can't rename a collection to itself")
	}
	if err := CheckNewCollection(to); err != nil {
		message := err.(*mongoerr.Error).Message
		return mongoerr.New(mongoerr.IllegalOperation, "error with target namespace: %s", message)
	}
	return nil
}
