package update

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Upsert makes the document that an upsert inserts where nothing matches. The equalities are the
// filter's; of a replacement's only the _id counts. The document has no _id where neither they
// nor the update give one; see [WithID].
func (u *Update) Upsert(equalities bson.D, c Context) (bson.D, error) {
	c = c.complete()
	c.Insert, c.Position = true, -1
	if u.replacement != nil {
		return insertable(idAlone(equalities), Stamp(u.replacement, c.timestamp))
	}
	base, err := fromEqualities(equalities)
	if err != nil {
		return nil, err
	}
	if u.pipeline != nil {
		doc := base.close().(bson.D)
		post, err := u.pass(doc, c)
		if err != nil {
			return nil, err
		}
		return insertable(doc, post)
	}
	a, err := u.operate(base, c)
	if err != nil {
		return nil, err
	}
	doc := IDFirst(a.root.close().(bson.D))
	id, _ := value.Get(doc, "_id")
	return doc, CheckID(id)
}

// insertable checks and completes the _id of a whole new document.
func insertable(base, post bson.D) (bson.D, error) {
	if id, _ := value.Get(post, "_id"); isArray(id) {
		return nil, mongoerr.New(codeNotSingleValue, "After applying the update to the document, "+
			"the (immutable) field '_id' was found to be an array or array descendant.")
	}
	whole, err := keepID(base, post)
	return IDFirst(whole), err
}

func isArray(v any) bool {
	_, ok := v.(bson.A)
	return ok
}

func idAlone(equalities bson.D) bson.D {
	id, ok := value.Get(equalities, "_id")
	if !ok {
		return nil
	}
	return bson.D{{Key: "_id", Value: id}}
}

// fromEqualities makes the document that a filter describes. Paths become documents.
func fromEqualities(equalities bson.D) (*element, error) {
	root := &element{value: bson.D{}}
	root.open()
	for _, field := range equalities {
		if field.Key == "" {
			return nil, mongoerr.New(mongoerr.IllegalOperation,
				"Cannot call setValue on the root object")
		}
		e, parts := root, strings.Split(field.Key, ".")
		if err := checkDepth(parts, field.Value); err != nil {
			return nil, err
		}
		for _, part := range parts {
			e = e.made(part)
		}
		e.set(field.Value)
	}
	if i := root.find("_id"); i > 0 {
		root.fields = slices.Concat(root.fields[i:i+1], root.fields[:i], root.fields[i+1:])
	}
	return root, nil
}

// made returns a field of a document, and makes what it needs.
func (e *element) made(name string) *element {
	if e.open(); e.form != document {
		e.set(bson.D{})
		e.open()
	}
	if e.find(name) < 0 {
		e.add(name, bson.D{})
	}
	return e.fields[e.find(name)]
}
