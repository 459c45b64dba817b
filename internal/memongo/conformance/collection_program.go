package conformance

import (
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// collectionPrograms are those whose answers have parts that are made up.
func collectionPrograms() []check {
	return []check{
		{name: "list/collections in full", run: listCollections},
		{name: "list/databases", run: listDatabases},
		{name: "list/databases by name", run: listDatabaseNames},
		{name: "name/the longest", run: longestName},
		{name: "name/of databases", run: databaseNames},
		{name: "collection/driver's implicit creation", run: implicitCreation},
	}
}

// cleaning is the context of what is done after a check.
func cleaning(c *C) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), tidyTime)
	c.tb.Cleanup(cancel)
	return ctx
}

func listCollections(c *C) {
	c.Expect(`{create: 'c', changeStreamPreAndPostImages: {enabled: true}}`, `{}`)
	answer := c.Do(`{listCollections: 1, filter: {name: 'c'}}`)
	batch, _ := lookup(answer, "cursor", "firstBatch").(bson.A)
	if len(batch) != 1 {
		c.Fatalf("listed: %s", brief(answer))
	}
	entry := batch[0].(bson.D)
	if id, ok := lookup(entry, "info", "uuid").(bson.Binary); !ok || id.Subtype != 4 {
		c.Errorf("uuid: %s", brief(entry))
	}
	want := doc(`{name: 'c', type: 'collection',
		options: {changeStreamPreAndPostImages: {enabled: true}},
		info: {readOnly: false, uuid: 0}, idIndex: {v: 2, key: {_id: 1}, name: '_id_'}}`)
	lookup(want, "info").(bson.D)[1].Value = lookup(entry, "info", "uuid")
	if show(entry) != show(want) {
		c.Errorf("listed\n\t%s\nnot\n\t%s", show(entry), show(want))
	}
}

func listDatabases(c *C) {
	c.Insert("c", `[{_id: 1}]`)
	answer := c.Do(`admin {listDatabases: 1, filter: {name: '%db'}}`)
	list, _ := lookup(answer, "databases").(bson.A)
	if len(list) != 1 {
		c.Fatalf("listed: %s", brief(answer))
	}
	entry := list[0].(bson.D)
	_, sized := lookup(entry, "sizeOnDisk").(int64)
	if lookup(entry, "name") != c.DB.Name() || !sized || lookup(entry, "empty") != false {
		c.Errorf("listed: %s", brief(entry))
	}
}

func listDatabaseNames(c *C) {
	c.Insert("c", `[{_id: 1}]`)
	names, err := c.Client.ListDatabaseNames(c.Context(), bson.D{})
	if err != nil || !slices.Contains(names, c.DB.Name()) || !slices.Contains(names, "admin") {
		c.Errorf("names %v, %v", names, err)
	}
	c.Expect(`admin {listDatabases: 1, nameOnly: true, filter: {name: '%db'}}`,
		`{databases: [{name: '%db'}]}`)
}

// longestName: a namespace has at most 255 bytes.
func longestName(c *C) {
	room := 255 - len(c.DB.Name()) - 1
	c.Expect(`{create: '`+strings.Repeat("x", room)+`'}`, `{}`)
	c.Expect(`{create: '`+strings.Repeat("y", room+1)+`'}`, `!73 InvalidNamespace`)
	c.Expect(`{insert: '`+strings.Repeat("y", room+1)+`', documents: [{_id: 1}]}`,
		`!73 InvalidNamespace`)
}

func databaseNames(c *C) {
	for _, name := range []string{"a.b", "a b", "a$b", "a/b", strings.Repeat("x", 64)} {
		answer := c.send(c.Client.Database(name), doc(`{create: 'c'}`))
		if differences := compare(answer, wanted(`!73 InvalidNamespace`)); differences != "" {
			c.Errorf("database %q: %s\nthe answer is %s", name, differences, brief(answer))
		}
	}
}

func implicitCreation(c *C) {
	if _, err := c.Collection().InsertOne(c.Context(), doc(`{_id: 1}`)); err != nil {
		c.Fatalf("insert: %v", err)
	}
	names, err := c.DB.ListCollectionNames(c.Context(), bson.D{})
	if err != nil || !slices.Equal(names, []string{"c"}) {
		c.Errorf("names %v, %v", names, err)
	}
	specs, err := c.DB.ListCollectionSpecifications(c.Context(), bson.D{})
	if err != nil || len(specs) != 1 || specs[0].Type != "collection" ||
		specs[0].IDIndex.Name != "_id_" {
		c.Errorf("specifications %v, %v", specs, err)
	}
	indexes, err := c.Collection().Indexes().ListSpecifications(c.Context())
	if err != nil || len(indexes) != 1 || indexes[0].Name != "_id_" {
		c.Errorf("indexes %v, %v", indexes, err)
	}
}
