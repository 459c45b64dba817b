package changestream

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// transform is what the user's pipeline does to events.
type transform struct {
	all *pipeline.Pipeline // nil where there are none

	// The first stages are asked before an image is found: beforeFirst those that need none,
	// beforeAfter those that need the one before the change at most. A server does that, so that
	// a missing image of a hidden event is no error. Nil where nothing depends on it.
	beforeFirst, beforeAfter *pipeline.Pipeline

	split bool
}

// run gives an event to stages.
func run(p *pipeline.Pipeline, event bson.D, vars *expr.Vars) (bson.D, bool, error) {
	if p == nil {
		return event, true, nil
	}
	return p.Each(event, vars)
}

// compile compiles a user's stages; nil stands for none.
func compile(list bson.A, o *Options) (*pipeline.Pipeline, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return pipeline.Compile(list, pipeline.Env{
		Vars: &o.Vars, DB: o.NS.DB, ChangeStream: true,
	})
}

// compileTransform compiles the user's stages.
func compileTransform(o *Options) (t transform, err error) {
	list, found, err := cutSplit(o.Pipeline)
	if err != nil {
		return t, err
	}
	t.split = found
	if t.all, err = compile(list, o); err != nil {
		return t, err
	}
	var missing []string // the images that the stream wants and that are not there yet
	if o.wantsAfter() {
		missing = append(missing, fieldAfter)
		if t.beforeAfter, err = compile(independent(list, missing), o); err != nil {
			return t, err
		}
	}
	if o.wantsBefore() {
		missing = append(missing, fieldBefore)
	}
	if o.Before == imageRequired || o.StartAfter != nil {
		t.beforeFirst, err = compile(independent(list, missing), o)
	}
	return t, err
}

// independent returns the first stages that do not look at fields which are still missing.
func independent(list bson.A, missing []string) bson.A {
	for i, stage := range list {
		d, ok := stage.(bson.D)
		looks := func(field string) bool { return mentions(d[0].Value, field) }
		if !ok || len(d) != 1 || !simpleStage(d[0].Key) || slices.ContainsFunc(missing, looks) {
			return list[:i]
		}
	}
	return list
}

// simpleStage reports whether a stage does to an event without its images what it does to the
// rest of it with them.
func simpleStage(name string) bool {
	switch name {
	case "$match", "$addFields", "$set", "$unset":
		return true
	}
	return false
}

// mentions reports whether a stage may look at a field.
func mentions(spec any, field string) bool {
	switch spec := spec.(type) {
	case bson.D:
		for _, e := range spec {
			if isPath(e.Key, field) || mentions(e.Value, field) {
				return true
			}
		}
	case bson.A:
		for _, e := range spec {
			if mentions(e, field) {
				return true
			}
		}
	case string:
		return strings.HasPrefix(spec, "$$ROOT") || strings.HasPrefix(spec, "$$CURRENT") ||
			isPath(strings.TrimPrefix(spec, "$"), field)
	}
	return false
}

func isPath(path, field string) bool {
	return path == field || strings.HasPrefix(path, field+".")
}

// checkID refuses an event whose token was changed.
func checkID(event, want bson.D) error {
	id, ok := value.Get(event, "_id")
	if ok && value.Identical(id, want) {
		return nil
	}
	found := bson.D{}
	if ok {
		found = bson.D{{Key: "_id", Value: id}}
	}
	return fatal("Encountered an event whose _id field, which contains the resume token, was "+
		"modified by the pipeline. Modifying the _id field of an event makes it impossible to "+
		"resume the stream from that point. Only transformations that retain the unmodified _id "+
		"field are allowed. Expected: %s but found: %s",
		value.Show(bson.D{{Key: "_id", Value: want}}), value.Show(found))
}

// showFields prints a document's fields without its braces.
func showFields(d bson.D) string { return strings.Trim(value.ShowResult(d), "{}") }

// labelFatal is the label of errors after which a client must not resume.
const labelFatal = "NonResumableChangeStreamError"

func fatal(format string, args ...any) error {
	return mongoerr.New(mongoerr.ChangeStreamFatalError, format, args...).With(labelFatal)
}
