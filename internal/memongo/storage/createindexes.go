package storage

import (
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// IndexCounts is what createIndexes and dropIndexes answer.
type IndexCounts struct {
	Before, After int32
	Created       bool   // createIndexes: the collection was created for it
	Note          string // "all indexes already exist", "index already exists"
}

// CreateIndexes makes the indexes that do not exist, all or none, and the collection where there
// is none. Specs are the command's.
func (e *Engine) CreateIndexes(ns Namespace, specs []bson.D) (IndexCounts, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.draft(nil, Write{})
	counts, err := d.createIndexes(ns, specs)
	if err != nil {
		return IndexCounts{}, err
	}
	if len(d.changes) > 0 {
		if err := e.busy(func(used Namespace) bool { return used == ns }); err != nil {
			return IndexCounts{}, err
		}
		e.commit(d.changes, false)
	}
	return counts, nil
}

func (d *draft) createIndexes(ns Namespace, specs []bson.D) (counts IndexCounts, err error) {
	wanted, err := parseIndexes(specs)
	if err != nil {
		return counts, err
	}
	c, err := d.open(ns)
	if err != nil {
		return counts, err
	}
	counts.Created = c == nil || d.owner != nil && d.before(c).since.IsZero()
	if c, err = d.openOrCreate(ns); err != nil {
		return counts, err
	}
	fresh, err := newIndexes(c, wanted)
	if err != nil {
		return counts, err
	}
	counts.Before = int32(1 + len(c.definition.indexes))
	counts.After = counts.Before + int32(len(fresh))
	switch {
	case len(fresh) == 0:
		counts.Note = "all indexes already exist"
		return counts, nil
	case len(fresh) < len(wanted):
		counts.Note = "index already exists"
	}
	if d.owner != nil && !counts.Created {
		return counts, mongoerr.New(mongoerr.OperationNotSupportedInTxn, "Cannot create new "+
			"indexes on existing collection %s in a multi-document transaction.", ns)
	}
	return counts, d.build(c, fresh)
}

func parseIndexes(specs []bson.D) ([]*index, error) {
	if len(specs) == 0 {
		return nil, mongoerr.New(mongoerr.BadValue, "Must specify at least one index to create")
	}
	wanted := make([]*index, len(specs))
	for i, spec := range specs {
		x, err := parseIndex(spec)
		if err != nil {
			return nil, err
		}
		if x != nil && x.name == "*" {
			return nil, mongoerr.New(mongoerr.BadValue, "The index name '*' is not valid.")
		}
		wanted[i] = x
	}
	return wanted, nil
}

// newIndexes returns those that the collection does not have.
func newIndexes(c *collection, wanted []*index) (fresh []*index, err error) {
	for _, x := range wanted {
		if x == nil {
			continue // that of the _id
		}
		exists, err := c.definition.add(x)
		if err != nil {
			return nil, err
		}
		if !exists {
			fresh = append(fresh, x)
		}
	}
	beside := &definition{}
	for _, x := range fresh {
		exists, err := beside.add(x)
		switch {
		case exists:
			err = mongoerr.New(mongoerr.IndexAlreadyExists,
				"Identical index already exists: %s", x.name)
		case err == nil && x.unique && x.hashed():
			err = mongoerr.New(hashedIndexNotUnique, "Currently hashed indexes cannot guarantee "+
				"uniqueness. Use a regular index.")
		}
		if err != nil {
			return nil, buildFailed(c, err)
		}
		beside.indexes = append(beside.indexes, x)
	}
	return fresh, nil
}

// build adds indexes. The oplog tells of those of an empty collection one by one, as a server's.
func (d *draft) build(c *collection, fresh []*index) error {
	for _, x := range fresh {
		if err := checkUnique(c, x); err != nil {
			return err
		}
	}
	together := [][]*index{fresh}
	if c.records.len() == 0 {
		together = nil
		for _, x := range fresh {
			together = append(together, []*index{x})
		}
	}
	indexes := c.definition.indexes
	for _, group := range together {
		indexes = append(indexes[:len(indexes):len(indexes)], group...)
		d.add(indexChange(c, OpCreateIndexes, group, indexes))
	}
	return nil
}

func indexChange(c *collection, op Op, told, all []*index) change {
	specs := make(bson.A, len(told))
	for i, x := range told {
		specs[i] = x.spec()
	}
	return change{
		definition: c.definition.withIndexes(all),
		entry: Entry{
			Op: op, NS: c.ns, UUID: c.uuid, Detail: bson.D{{Key: "indexes", Value: specs}},
		},
	}
}

// checkUnique looks for documents that share a key, in the order of the keys, and for those that
// cannot be indexed.
func checkUnique(c *collection, x *index) error {
	var all []indexKey
	for _, r := range c.records.all() {
		keys, err := x.keys(r.doc)
		if err != nil {
			return buildFailed(c, err)
		}
		all = append(all, keys...)
	}
	if !x.unique {
		return nil
	}
	slices.SortFunc(all, x.compare)
	for i := 1; i < len(all); i++ {
		if all[i].text == all[i-1].text {
			return buildFailed(c, duplicateKey(c.ns, x, all[i]))
		}
	}
	return nil
}

// buildFailed says of which build an error is.
func buildFailed(c *collection, err error) error {
	e, ok := err.(*mongoerr.Error)
	if !ok {
		return err
	}
	build, empty := uuidText(newUUID()), ""
	if c.records.len() == 0 {
		empty = fmt.Sprintf("index build on empty collection failed: %s :: caused by :: ", build)
	}
	failed := *e
	failed.Message = fmt.Sprintf("Index build failed: %s: Collection %s ( %s ) :: caused by :: %s%s",
		build, c.ns, uuidText(c.uuid), empty, e.Message)
	return &failed
}

func uuidText(u bson.Binary) string {
	d := u.Data
	return fmt.Sprintf("%x-%x-%x-%x-%x", d[0:4], d[4:6], d[6:8], d[8:10], d[10:])
}
