package changestream

import (
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

// The types of events.
const (
	typeInsert     = "insert"
	typeUpdate     = "update"
	typeReplace    = "replace"
	typeDelete     = "delete"
	typeDrop       = "drop"
	typeRename     = "rename"
	typeDropDB     = "dropDatabase"
	typeInvalidate = "invalidate"
)

// eventType names the event that an entry of the oplog becomes; expanded says that it only does
// with showExpandedEvents. An empty name is no event.
func eventType(op storage.Op) (name string, expanded bool) {
	switch op {
	case storage.OpInsert:
		return typeInsert, false
	case storage.OpUpdate:
		return typeUpdate, false
	case storage.OpReplace:
		return typeReplace, false
	case storage.OpDelete:
		return typeDelete, false
	case storage.OpDrop:
		return typeDrop, false
	case storage.OpRename:
		return typeRename, false
	case storage.OpDropDatabase:
		return typeDropDB, false
	case storage.OpCreate:
		return "create", true
	case storage.OpCreateIndexes:
		return "createIndexes", true
	case storage.OpDropIndexes:
		return "dropIndexes", true
	case storage.OpCollMod:
		return "modify", true
	}
	return "", false
}

// sees reports whether an entry becomes an event of the stream, and names it.
func (o *Options) sees(e *storage.Entry) (name string, ok bool) {
	name, expanded := eventType(e.Op)
	if name == "" || expanded && !o.ShowExpanded {
		return "", false
	}
	if o.watches(e.NS) {
		return name, true
	}
	return name, e.Op == storage.OpRename && o.Scope == Collection && o.watches(e.To)
}

func (o *Options) watches(ns storage.Namespace) bool {
	switch {
	case o.Scope == Collection:
		return ns == o.NS
	case internalDatabase(ns.DB) || internalCollection(ns.Collection):
		return false
	}
	return o.Scope == Cluster || ns.DB == o.NS.DB
}

// endsWith reports whether an event that the stream sees invalidates it.
func (o *Options) endsWith(name string) bool {
	switch o.Scope {
	case Collection:
		return name == typeDrop || name == typeRename
	case Database:
		return name == typeDropDB
	}
	return false
}
