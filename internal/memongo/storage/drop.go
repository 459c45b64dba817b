package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Drop removes a collection and returns how many indexes it had; 26 where there is none.
// A [*Busy] asks for a repetition, as it does for all functions that change definitions.
func (e *Engine) Drop(ns Namespace) (indexes int32, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := CheckNamespace(ns); err != nil {
		return 0, err
	}
	c := e.state.Load().collection(ns)
	if c == nil {
		return 0, mongoerr.New(mongoerr.NamespaceNotFound, "ns not found")
	}
	if err := e.busy(func(used Namespace) bool { return used == ns }); err != nil {
		return 0, err
	}
	e.commit([]change{dropChange(c)}, false)
	return int32(1 + len(c.definition.indexes)), nil
}

func dropChange(c *collection) change {
	return change{entry: Entry{Op: OpDrop, NS: c.ns, UUID: c.uuid}}
}

// DropDatabase drops each collection of a database and then the database. It reports whether
// there was one.
func (e *Engine) DropDatabase(db string) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch db {
	case "admin":
		return false, mongoerr.New(mongoerr.IllegalOperation,
			"Dropping the 'admin' database is prohibited.")
	case "local":
		return false, mongoerr.New(mongoerr.IllegalOperation,
			"Cannot drop 'local' database while replication is active")
	}
	collections := e.state.Load().database(db)
	if len(collections) == 0 {
		return false, nil
	}
	if err := e.busy(func(used Namespace) bool { return used.DB == db }); err != nil {
		return false, err
	}
	changes := make([]change, 0, len(collections)+1)
	for _, c := range collections {
		changes = append(changes, dropChange(c))
	}
	e.commit(append(changes, change{entry: Entry{
		Op: OpDropDatabase, NS: Namespace{DB: db},
	}}), false)
	return true, nil
}

// DropIndexes removes indexes: "*", a name, an array of names, or a key document. The count
// before is the answer's nIndexesWas.
func (e *Engine) DropIndexes(ns Namespace, which any) (IndexCounts, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.state.Load().collection(ns)
	if c == nil {
		return IndexCounts{}, mongoerr.New(mongoerr.NamespaceNotFound, "ns not found %s", ns)
	}
	chosen, err := c.definition.choose(which)
	if err != nil {
		return IndexCounts{}, err
	}
	if err := e.busy(func(used Namespace) bool { return used == ns }); err != nil {
		return IndexCounts{}, err
	}
	left, changes := c.definition.indexes, []change(nil)
	for _, x := range chosen {
		left = without(left, x)
		changes = append(changes, indexChange(c, OpDropIndexes, []*index{x}, left))
	}
	if len(changes) > 0 {
		e.commit(changes, false)
	}
	return IndexCounts{
		Before: int32(1 + len(c.definition.indexes)), After: int32(1 + len(left)),
	}, nil
}

func without(indexes []*index, gone *index) (left []*index) {
	for _, x := range indexes {
		if x != gone {
			left = append(left, x)
		}
	}
	return left
}

// choose returns the indexes that a dropIndexes command means.
func (d *definition) choose(which any) (chosen []*index, err error) {
	names := bson.A{which}
	switch which := which.(type) {
	case string:
		if which == "*" {
			return d.indexes, nil
		}
	case bson.A:
		names = which
	case bson.D:
		x, err := d.keyed(which)
		return []*index{x}, err
	default:
		return nil, wrongDropType(which)
	}
	for _, name := range names {
		name, ok := name.(string)
		if !ok {
			return nil, wrongDropType(which)
		}
		if name == "_id_" {
			return nil, cannotDropID()
		}
		x := d.named(name)
		if x == nil {
			return nil, mongoerr.New(mongoerr.IndexNotFound, "index not found with name [%s]", name)
		}
		chosen = append(chosen, x)
	}
	return chosen, nil
}

func (d *definition) keyed(key bson.D) (*index, error) {
	if sameKey(key, bson.D{{Key: "_id", Value: int32(1)}}) {
		return nil, cannotDropID()
	}
	for _, x := range d.indexes {
		if sameKey(x.key, key) {
			return x, nil
		}
	}
	return nil, mongoerr.New(mongoerr.IndexNotFound,
		"can't find index with key: %s", value.Show(key))
}

func cannotDropID() error {
	return mongoerr.New(mongoerr.InvalidOptions, "cannot drop _id index")
}

func wrongDropType(which any) error {
	return mongoerr.New(mongoerr.TypeMismatch, "BSON field 'dropIndexes.index' is the wrong type "+
		"'%s', expected types '[string, object']", value.TypeName(which))
}
