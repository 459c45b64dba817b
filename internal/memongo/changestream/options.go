package changestream

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Scope is what a stream watches.
type Scope int

// The scopes.
const (
	Collection Scope = iota // one collection
	Database                // all collections of a database
	Cluster                 // all databases
)

// The values of fullDocument and fullDocumentBeforeChange.
const (
	imageDefault       = "default"
	imageOff           = "off"
	imageLookup        = "updateLookup"
	imageWhenAvailable = "whenAvailable"
	imageRequired      = "required"
)

// Options are what a stream is opened with.
type Options struct {
	Scope Scope
	NS    storage.Namespace // without a collection for the wider scopes

	// FullDocument is "default", "updateLookup", "whenAvailable" or "required".
	FullDocument string
	// Before is fullDocumentBeforeChange: "off", "whenAvailable" or "required".
	Before string

	// At most one of these three says where the stream starts. Without one it starts now.
	ResumeAfter, StartAfter bson.D
	StartAt                 *bson.Timestamp

	ShowExpanded bool

	// Pipeline are the stages after $changeStream.
	Pipeline bson.A
	// Vars are the variables of the stages' expressions.
	Vars expr.Vars
}

// Codes without a name.
const (
	codeDuplicateField = 40413
	codeNested         = 6188500
	codeBothTokens     = 50865
)

// ParseSpec reads what stands in a $changeStream stage, sent to a namespace; without a collection
// it is the database.
func ParseSpec(ns storage.Namespace, spec any) (Options, error) {
	o := Options{Scope: Collection, NS: ns}
	if ns.Collection == "" {
		o.Scope = Database
	}
	fields, ok := spec.(bson.D)
	if !ok {
		return o, mongoerr.New(codeNested, "$changeStream must take a nested object but found: %s",
			strings.Trim(value.ShowResult(bson.D{{Key: "$changeStream", Value: spec}}), "{}"))
	}
	seen := map[string]bool{}
	for _, field := range fields {
		if seen[field.Key] {
			return o, mongoerr.New(codeDuplicateField,
				"BSON field '$changeStream.%s' is a duplicate field", field.Key)
		}
		seen[field.Key] = true
		if err := o.set(field.Key, field.Value); err != nil {
			return o, err
		}
	}
	return o, o.check()
}

func (o *Options) set(name string, v any) (err error) {
	switch name {
	case "fullDocument":
		o.FullDocument, err = enumeration(name, v,
			imageDefault, imageLookup, imageWhenAvailable, imageRequired)
	case "fullDocumentBeforeChange":
		o.Before, err = enumeration(name, v, imageOff, imageWhenAvailable, imageRequired)
	case "resumeAfter":
		o.ResumeAfter, err = optional[bson.D](name, v, "object")
	case "startAfter":
		o.StartAfter, err = optional[bson.D](name, v, "object")
	case "startAtOperationTime":
		var at bson.Timestamp
		if at, err = optional[bson.Timestamp](name, v, "timestamp"); err == nil && v != nil {
			o.StartAt = &at
		}
	default:
		return o.setFlag(name, v)
	}
	return err
}

func (o *Options) setFlag(name string, v any) error {
	flag, ok := v.(bool)
	switch name {
	case "allChangesForCluster":
		if flag {
			o.Scope = Cluster
		}
	case "showExpandedEvents":
		o.ShowExpanded = flag
	case "showMigrationEvents", "showSystemEvents", "showRawUpdateDescription":
		if flag {
			return mongoerr.Unsupported("the option %s of $changeStream", name)
		}
	default:
		return mongoerr.New(mongoerr.UnknownField,
			"BSON field '$changeStream.%s' is an unknown field.", name)
	}
	if !ok && v != nil {
		return mongoerr.New(mongoerr.TypeMismatch,
			"Field '%s' should be a boolean value, but found: %s", name, value.TypeName(v))
	}
	return nil
}

// optional reads a field that may be null, which is as if it were not there.
func optional[T any](name string, v any, kind string) (value T, err error) {
	if v == nil {
		return value, nil
	}
	value, ok := v.(T)
	if !ok {
		return value, wrongType(name, v, kind)
	}
	return value, nil
}

func enumeration(name string, v any, values ...string) (string, error) {
	text, err := optional[string](name, v, "string")
	if err != nil || v == nil {
		return "", err
	}
	for _, one := range values {
		if text == one {
			return text, nil
		}
	}
	return "", mongoerr.New(mongoerr.BadValue,
		"Enumeration value '%s' for field '$changeStream.%s' is not a valid value.", text, name)
}

func wrongType(name string, v any, want string) error {
	return mongoerr.New(mongoerr.TypeMismatch,
		"BSON field '$changeStream.%s' is the wrong type '%s', expected type '%s'",
		name, value.TypeName(v), want)
}

// check refuses options that contradict each other or the namespace.
func (o *Options) check() error {
	if err := o.checkNamespace(); err != nil {
		return err
	}
	switch {
	case o.ResumeAfter != nil && o.StartAfter != nil:
		return mongoerr.New(codeBothTokens,
			"Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage")
	case o.StartAt != nil && (o.ResumeAfter != nil || o.StartAfter != nil):
		return mongoerr.New(mongoerr.MultipleResumeOptions,
			"Only one type of resume option is allowed, but multiple were found")
	}
	return nil
}

func (o *Options) checkNamespace() error {
	admin := storage.Namespace{DB: "admin"}
	switch {
	case o.Scope == Cluster && o.NS != admin:
		found := o.NS.String()
		if o.NS.Collection == "" {
			found += ".$cmd.aggregate"
		}
		return mongoerr.New(mongoerr.InvalidOptions, "A $changeStream with "+
			"'allChangesForCluster:true' may only be opened on the 'admin' database, "+
			"and with no collection name; found %s", found)
	case o.Scope == Cluster:
		return nil
	case internalDatabase(o.NS.DB):
		return mongoerr.New(mongoerr.InvalidNamespace,
			"$changeStream may not be opened on the internal %s database", o.NS.DB)
	case internalCollection(o.NS.Collection):
		return mongoerr.New(mongoerr.InvalidNamespace,
			"$changeStream may not be opened on the internal %s collection", o.NS)
	}
	return nil
}

// internalDatabase and internalCollection say of what no stream tells.
func internalDatabase(db string) bool { return db == "admin" || db == "config" || db == "local" }

func internalCollection(name string) bool { return strings.HasPrefix(name, "system.") }
