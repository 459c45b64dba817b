package changestream

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

const (
	fieldAfter  = "fullDocument"
	fieldBefore = "fullDocumentBeforeChange"
)

// withBefore adds the document before a change, as far as the stream wants it.
func (s *Stream) withBefore(event bson.D, e *storage.Entry, name string) (bson.D, error) {
	before, err := s.before(e, name)
	if err != nil || before == value.Missing {
		return event, err
	}
	return append(event[:len(event):len(event)], bson.E{Key: fieldBefore, Value: before}), nil
}

// withAfter adds the document after an update, as far as the stream wants it.
func (s *Stream) withAfter(event bson.D, e *storage.Entry, name string) (bson.D, error) {
	after, err := s.after(e, name)
	if err != nil || after == value.Missing {
		return event, err
	}
	at := slices.IndexFunc(event, func(field bson.E) bool { return field.Key == "wallTime" })
	return slices.Insert(slices.Clone(event), at+1, bson.E{Key: fieldAfter, Value: after}), nil
}

func (o *Options) wantsBefore() bool { return o.Before != "" && o.Before != imageOff }

func (o *Options) wantsAfter() bool {
	return o.FullDocument != "" && o.FullDocument != imageDefault
}

// before returns the document before the change, null, or value.Missing.
func (s *Stream) before(e *storage.Entry, name string) (any, error) {
	switch {
	case !s.options.wantsBefore() || !changesDocument(e.Op):
		return value.Missing, nil
	case e.HasImages:
		return e.Before, nil
	case s.options.Before == imageRequired:
		return nil, noImage("a pre-image for all update, delete and replace events",
			"pre-image", e, name)
	}
	return nil, nil
}

// changesDocument reports whether there was a document before.
func changesDocument(op storage.Op) bool {
	return op == storage.OpUpdate || op == storage.OpReplace || op == storage.OpDelete
}

// after returns the document after an update, null, or value.Missing. Inserts and replacements
// carry theirs always.
func (s *Stream) after(e *storage.Entry, name string) (any, error) {
	mode := s.options.FullDocument
	switch {
	case !s.options.wantsAfter() || e.Op != storage.OpUpdate:
		return value.Missing, nil
	case mode == imageLookup:
		return s.current(e), nil
	case e.HasImages:
		return e.After, nil
	case mode == imageRequired:
		return nil, noImage("a post-image for all update events", "post-image", e, name)
	}
	return nil, nil
}

// current looks up the document as it is now. 6.0.5 does in the collection that the event is
// about, whatever it is called by now; the versions with the split stage in the collection that
// has its name by now.
func (s *Stream) current(e *storage.Entry) any {
	view, ns := s.engine.Latest(), e.NS
	if !s.user.split {
		var ok bool
		if ns, ok = find(view, e); !ok {
			return nil
		}
	}
	id, _ := value.Get(e.DocumentKey, "_id")
	record, ok := view.ByID(ns, id)
	if !ok {
		return nil
	}
	return record.Doc
}

// find returns what an entry's collection is called now.
func find(view storage.View, e *storage.Entry) (ns storage.Namespace, ok bool) {
	is := func(ns storage.Namespace) bool {
		uuid, ok := view.UUID(ns)
		return ok && uuid.Equal(e.UUID)
	}
	if is(e.NS) {
		return e.NS, true
	}
	for _, db := range view.Databases() {
		for _, collection := range view.Collections(db) {
			name, _ := value.Get(collection, "name")
			ns.DB, ns.Collection = db, name.(string)
			if is(ns) {
				return ns, true
			}
		}
	}
	return ns, false
}

func noImage(wanted, image string, e *storage.Entry, name string) error {
	event := bson.D{
		{Key: "operationType", Value: name},
		{Key: "ns", Value: nsDocument(e.NS)},
		{Key: "clusterTime", Value: e.TS},
	}
	if number, ok := txnNumber(e); ok {
		event = append(event, bson.E{Key: "txnNumber", Value: number})
	}
	return mongoerr.New(mongoerr.NoMatchingDocument, "Change stream was configured to require %s, "+
		"but the %s was not found for event: %s", wanted, image, value.ShowResult(event))
}
