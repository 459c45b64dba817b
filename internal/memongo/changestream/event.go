package changestream

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/token"
)

// tokenOf makes the token of an entry's event.
func (s *Stream) tokenOf(e *storage.Entry, name string) token.Token {
	tok := token.Token{
		TS:       e.TS,
		Version:  s.versionOf(e),
		Kind:     token.Event,
		TxnIndex: e.TxnIndex,
		UUID:     token.UUID(e.UUID.Data),
	}
	_, expanded := eventType(e.Op)
	switch {
	case tok.Version < token.Splitting && !expanded:
		tok.ID = token.DocumentKey(e.DocumentKey)
	case e.DocumentKey != nil:
		tok.ID = token.Operation(name, "documentKey", e.DocumentKey)
	default:
		tok.ID = token.Operation(name, "operationDescription", description(e))
	}
	return tok
}

// versionOf is the version of an event's token. That of the event which the stream resumes after
// is the client's, and so is that of the invalidate behind it.
func (s *Stream) versionOf(e *storage.Entry) int {
	if s.start.Kind == token.Event && s.start.TS == e.TS && s.start.TxnIndex == e.TxnIndex {
		return s.start.Version
	}
	return s.version
}

// event makes an entry's event, without the images that have to be found. The order of the fields
// is the server's.
func (s *Stream) event(e *storage.Entry, name string, tok token.Token) bson.D {
	d := make(bson.D, 0, 12)
	add := func(key string, v any) { d = append(d, bson.E{Key: key, Value: v}) }
	if e.Op == storage.OpRename {
		add("to", nsDocument(e.To))
	}
	if number, ok := txnNumber(e); ok {
		add("txnNumber", number)
		add("lsid", e.LSID)
	}
	add("_id", tok.Document())
	add("operationType", name)
	add("clusterTime", e.TS)
	if s.options.ShowExpanded && len(e.UUID.Data) > 0 {
		add("collectionUUID", e.UUID)
	}
	add("wallTime", e.Wall)
	if e.Op == storage.OpInsert || e.Op == storage.OpReplace {
		add("fullDocument", e.Doc)
	}
	add("ns", nsDocument(e.NS))
	if e.DocumentKey != nil {
		add("documentKey", e.DocumentKey)
	}
	if e.Op == storage.OpUpdate {
		add("updateDescription", updateDescription(e))
	}
	if s.options.ShowExpanded {
		d = expand(d, e)
	}
	return d
}

// txnNumber is the number of the transaction that an entry is part of.
func txnNumber(e *storage.Entry) (number int64, ok bool) {
	if !e.InTxn || e.TxnNumber == nil {
		return 0, false
	}
	return *e.TxnNumber, true
}

// expand adds what showExpandedEvents shows of changes of definitions.
func expand(d bson.D, e *storage.Entry) bson.D {
	if about := description(e); about != nil {
		d = append(d, bson.E{Key: "operationDescription", Value: about})
	}
	if e.StateBefore != nil {
		d = append(d, bson.E{Key: "stateBeforeChange", Value: e.StateBefore})
	}
	return d
}

// description is an event's operationDescription, or nil.
func description(e *storage.Entry) bson.D {
	if e.Op != storage.OpRename {
		return e.Detail
	}
	d := bson.D{{Key: "to", Value: nsDocument(e.To)}}
	if len(e.DropTarget.Data) > 0 {
		d = append(d, bson.E{Key: "dropTarget", Value: e.DropTarget})
	}
	return d
}

// invalidate makes the event that ends a stream after the event of an entry.
func invalidate(e *storage.Entry, tok token.Token) bson.D {
	return bson.D{
		{Key: "_id", Value: tok.Document()},
		{Key: "operationType", Value: typeInvalidate},
		{Key: "clusterTime", Value: e.TS},
		{Key: "wallTime", Value: e.Wall},
	}
}

func nsDocument(ns storage.Namespace) bson.D {
	d := bson.D{{Key: "db", Value: ns.DB}}
	if ns.Collection != "" {
		d = append(d, bson.E{Key: "coll", Value: ns.Collection})
	}
	return d
}

func updateDescription(e *storage.Entry) bson.D {
	updated := e.Desc.Updated
	if updated == nil {
		updated = bson.D{}
	}
	removed := make(bson.A, len(e.Desc.Removed))
	for i, field := range e.Desc.Removed {
		removed[i] = field
	}
	truncated := make(bson.A, len(e.Desc.Truncated))
	for i, t := range e.Desc.Truncated {
		truncated[i] = bson.D{{Key: "field", Value: t.Field}, {Key: "newSize", Value: t.NewSize}}
	}
	return bson.D{
		{Key: "updatedFields", Value: updated},
		{Key: "removedFields", Value: removed},
		{Key: "truncatedArrays", Value: truncated},
	}
}
