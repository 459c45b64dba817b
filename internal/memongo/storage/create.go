package storage

import (
	"crypto/rand"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// databaseDiffersInCase is the code for two databases whose names differ in nothing but case.
const databaseDiffersInCase int32 = 13297

// Create makes a collection. Options are the command's fields without its name: validator,
// validationLevel, validationAction, changeStreamPreAndPostImages; others are refused by name.
// 48 where it exists.
func (e *Engine) Create(ns Namespace, options bson.D) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.draft(nil, Write{})
	if err := d.createExplicitly(ns, options); err != nil {
		return err
	}
	e.commit(d.changes, false)
	return nil
}

func (d *draft) createExplicitly(ns Namespace, options bson.D) error {
	if err := CheckNewCollection(ns); err != nil {
		return err
	}
	definition, err := createDefinition(ns.DB, options)
	if err != nil && !mongoerr.Is(err, mongoerr.NotImplemented) {
		return err
	}
	switch c, openErr := d.open(ns); {
	case openErr != nil:
		return openErr
	case c != nil: // told before anything is that a server has and this does not
		return mongoerr.New(mongoerr.NamespaceExists, "Collection %s already exists.", ns)
	case err != nil:
		return err
	}
	_, err = d.create(ns, definition)
	return err
}

func createDefinition(db string, options bson.D) (*definition, error) {
	kept, err := createOptions(db, options)
	if err != nil {
		return nil, err
	}
	return newDefinition(kept, nil)
}

// openOrCreate returns the collection, made by the way where there is none.
func (d *draft) openOrCreate(ns Namespace) (*collection, error) {
	c, err := d.open(ns)
	if err != nil || c != nil {
		return c, err
	}
	if err := CheckNewCollection(ns); err != nil {
		return nil, err
	}
	return d.create(ns, &definition{options: bson.D{}})
}

// open returns the collection as the writer sees it, nil where there is none.
func (d *draft) open(ns Namespace) (*collection, error) {
	if d.owner != nil {
		if err := d.owner.touch(ns); err != nil {
			return nil, err
		}
	}
	return d.now.collection(ns), nil
}

func (d *draft) create(ns Namespace, definition *definition) (*collection, error) {
	for _, c := range d.now.collections.all() {
		if c.ns.DB != ns.DB && strings.EqualFold(c.ns.DB, ns.DB) {
			return nil, mongoerr.New(databaseDiffersInCase, "db already exists with different "+
				"case already have: [%s] trying to create [%s]", c.ns.DB, ns.DB)
		}
	}
	detail := append(bson.D{}, definition.options...)
	d.add(change{
		definition: definition,
		entry: Entry{
			Op: OpCreate, NS: ns, UUID: newUUID(),
			Detail: append(detail, bson.E{Key: "idIndex", Value: idIndex()}),
		},
	})
	return d.now.collection(ns), nil
}

// newUUID returns a random UUID, version 4.
func newUUID() bson.Binary {
	data := make([]byte, 16)
	rand.Read(data) // never fails
	data[6] = data[6]&0x0f | 0x40
	data[8] = data[8]&0x3f | 0x80
	return bson.Binary{Subtype: bson.TypeBinaryUUID, Data: data}
}
