package memongo

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func collectionCommands() []*command {
	return []*command{
		{name: "create", fields: anyField, traits: writes | transactional, run: create},
		{name: "drop", traits: writes, run: drop},
		{name: "dropDatabase", traits: writes, run: dropDatabase},
		{name: "renameCollection", fields: "to dropTarget", traits: writes | adminOnly, run: rename},
		{name: "collMod", fields: anyField, traits: writes, run: collMod},
		{name: "createIndexes", fields: "indexes commitQuorum", traits: writes | transactional,
			run: createIndexes},
		{name: "dropIndexes", fields: "index", traits: writes, run: dropIndexes},
		{name: "listIndexes", fields: "cursor", traits: reads, run: listIndexes},
		{name: "listCollections", fields: "filter nameOnly cursor authorizedCollections",
			traits: reads, run: listCollections},
		{name: "listDatabases", fields: "filter nameOnly authorizedDatabases",
			traits: reads | adminOnly, run: listDatabases},
	}
}

func uuid() bson.Binary {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return bson.Binary{Subtype: bson.TypeBinaryUUID, Data: id}
}

// own returns the fields of the command that are neither generic nor its name.
func (r *request) own() bson.D {
	var own bson.D
	for _, e := range r.args.fields[1:] {
		if !isGeneric(e.Key) {
			own = append(own, e)
		}
	}
	return own
}

// definition prepares a command that changes what there is, and runs the change as soon as no
// transaction is in its way.
func (r *request) definition(change func(ns storage.Namespace) error) error {
	ns, err := r.collection()
	if err != nil {
		return err
	}
	return r.unbusy(func() error { return change(ns) })
}

func create(r *request) (bson.D, error) {
	err := r.definition(func(ns storage.Namespace) error {
		if r.txn == nil {
			return r.server.engine.Create(ns, r.own())
		}
		txn, err := r.opened()
		if err != nil {
			return err
		}
		return txn.Create(ns, r.own())
	})
	return r.confirmed(bson.D{}), err
}

func drop(r *request) (bson.D, error) {
	var answer bson.D
	err := r.definition(func(ns storage.Namespace) error {
		indexes, err := r.server.engine.Drop(ns)
		answer = bson.D{{Key: "nIndexesWas", Value: indexes}, {Key: "ns", Value: ns.String()}}
		if err == nil {
			r.server.cursors.killOn("collection dropped", func(of storage.Namespace) bool {
				return of == ns
			})
		}
		return err
	})
	return r.confirmed(answer), err
}

func dropDatabase(r *request) (bson.D, error) {
	err := r.unbusy(func() error {
		existed, err := r.server.engine.DropDatabase(r.db)
		if existed && err == nil {
			r.server.cursors.killOn("collection dropped", func(of storage.Namespace) bool {
				return of.DB == r.db && !strings.HasPrefix(of.Collection, "$cmd.")
			})
		}
		return err
	})
	return r.confirmed(bson.D{}), err
}

func rename(r *request) (bson.D, error) {
	from, _ := r.args.str(r.command.name)
	to, _ := r.args.str("to")
	r.args.require("to")
	dropTarget := r.args.flag("dropTarget")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	source, target := parseNamespace(from), parseNamespace(to)
	err := r.unbusy(func() error {
		return r.server.engine.Rename(source, target, dropTarget)
	})
	if err == nil {
		why := fmt.Sprintf("collection renamed from '%s' to '%s'", source, target)
		r.server.cursors.killOn(why, func(of storage.Namespace) bool {
			return of == source || of == target
		})
	}
	return r.confirmed(bson.D{}), err
}

func parseNamespace(full string) storage.Namespace {
	db, collection, _ := strings.Cut(full, ".")
	return storage.Namespace{DB: db, Collection: collection}
}

func collMod(r *request) (bson.D, error) {
	var answer bson.D
	err := r.definition(func(ns storage.Namespace) (err error) {
		answer, err = r.server.engine.CollMod(ns, r.own())
		return err
	})
	return r.confirmed(answer), err
}

func createIndexes(r *request) (bson.D, error) {
	specs := r.args.documents("indexes")
	r.args.require("indexes")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	var done storage.IndexCounts
	err := r.definition(func(ns storage.Namespace) (err error) {
		if r.txn == nil {
			done, err = r.server.engine.CreateIndexes(ns, specs)
			return err
		}
		txn, err := r.opened()
		if err == nil {
			done, err = txn.CreateIndexes(ns, specs)
		}
		return err
	})
	answer := bson.D{
		{Key: "numIndexesBefore", Value: done.Before},
		{Key: "numIndexesAfter", Value: done.After},
	}
	if done.Created || done.Before != done.After {
		answer = append(answer,
			bson.E{Key: "createdCollectionAutomatically", Value: done.Created},
			bson.E{Key: "commitQuorum", Value: "votingMembers"})
	}
	if done.Note != "" {
		answer = append(answer, bson.E{Key: "note", Value: done.Note})
	}
	return r.confirmed(answer), err
}

func dropIndexes(r *request) (bson.D, error) {
	index := r.args.require("index")
	if err := r.args.failed(); err != nil {
		return nil, err
	}
	var done storage.IndexCounts
	err := r.definition(func(ns storage.Namespace) (err error) {
		done, err = r.server.engine.DropIndexes(ns, index)
		return err
	})
	answer := bson.D{{Key: "nIndexesWas", Value: done.Before}}
	if index == "*" {
		answer = append(answer,
			bson.E{Key: "msg", Value: "non-_id indexes dropped for collection"})
	}
	return r.confirmed(answer), err
}

func listIndexes(r *request) (bson.D, error) {
	ns, err := r.collection()
	if err != nil {
		return nil, err
	}
	indexes, err := r.server.engine.Latest().Indexes(ns)
	if err != nil {
		return nil, err
	}
	return r.first(ns, &documents{rest: indexes}, false)
}

func listCollections(r *request) (bson.D, error) {
	all := r.server.engine.Latest().Collections(r.db)
	found, err := r.filtered(all)
	if err != nil {
		return nil, err
	}
	if r.args.flag("nameOnly") {
		for i, doc := range found {
			found[i] = only(doc, "name", "type")
		}
	}
	ns := storage.Namespace{DB: r.db, Collection: "$cmd.listCollections"}
	return r.first(ns, &documents{rest: found}, false)
}

// filtered returns the documents that the command's filter matches.
func (r *request) filtered(docs []bson.D) ([]bson.D, error) {
	filter, ok := r.args.document("filter")
	if !ok {
		return docs, r.args.failed()
	}
	m, err := match.Compile(filter)
	if err != nil {
		return nil, err
	}
	var found []bson.D
	for _, doc := range docs {
		ok, err := m.Match(doc, r.vars())
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, doc)
		}
	}
	return found, nil
}

func only(doc bson.D, names ...string) bson.D {
	var kept bson.D
	for _, name := range names {
		if v, ok := value.Get(doc, name); ok {
			kept = append(kept, bson.E{Key: name, Value: v})
		}
	}
	return kept
}

func listDatabases(r *request) (bson.D, error) {
	view := r.server.engine.Latest()
	var all []bson.D
	names := append(view.Databases(), "admin", "config", "local") // which every server has
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		all = append(all, bson.D{
			{Key: "name", Value: name},
			{Key: "sizeOnDisk", Value: int64(4096)},
			{Key: "empty", Value: false},
		})
	}
	found, err := r.filtered(all)
	if err != nil {
		return nil, err
	}
	list := bson.A{}
	for _, doc := range found {
		if r.args.flag("nameOnly") {
			doc = only(doc, "name")
		}
		list = append(list, doc)
	}
	answer := bson.D{{Key: "databases", Value: list}}
	if !r.args.flag("nameOnly") {
		answer = append(answer,
			bson.E{Key: "totalSize", Value: int64(4096 * len(found))},
			bson.E{Key: "totalSizeMb", Value: int64(0)})
	}
	return answer, nil
}
