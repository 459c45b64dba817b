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

	// The first stages are asked before an image is found, as far as they need none that is
	// still missing. A server does that, so that a missing image of a hidden event is no error.
	// An update may miss both images at first, and then the one after it; other changes miss the
	// one before at most. Nil where nothing depends on it.
	update, updateAfter, other *pipeline.Pipeline

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
	if t.all, err = compile(list, o); err != nil || !o.needsEarly() {
		return t, err
	}
	var afterMissing, beforeMissing []string
	if o.wantsAfter() {
		afterMissing = []string{fieldAfter}
	}
	if o.wantsBefore() {
		beforeMissing = []string{fieldBefore}
	}
	for _, early := range []struct {
		stages  **pipeline.Pipeline
		missing []string
	}{
		{&t.update, append(beforeMissing, afterMissing...)},
		{&t.updateAfter, afterMissing},
		{&t.other, beforeMissing},
	} {
		if *early.stages, err = compile(independent(list, early.missing), o); err != nil {
			return t, err
		}
	}
	return t, nil
}

// needsEarly reports whether it matters when the first stages are asked.
func (o *Options) needsEarly() bool {
	return o.Before == imageRequired || o.FullDocument == imageRequired || o.StartAfter != nil
}

// independent returns the first stages as far as they do not look at fields which are still
// missing. Conditions of a $match that do are left out: the others hide events all the same.
func independent(list bson.A, missing []string) (first bson.A) {
	looks := func(spec any) bool {
		return slices.ContainsFunc(missing, func(field string) bool { return mentions(spec, field) })
	}
	for _, stage := range list {
		d, ok := stage.(bson.D)
		if !ok || len(d) != 1 || !simpleStage(d[0].Key) {
			break
		}
		spec := d[0].Value
		if looks(spec) {
			conditions, isDocument := spec.(bson.D)
			if d[0].Key != "$match" || !isDocument {
				break
			}
			spec = without(conditions, looks)
		}
		first = append(first, bson.D{{Key: d[0].Key, Value: spec}})
	}
	return first
}

// without leaves conditions out, also those of an $and.
func without(conditions bson.D, drop func(spec any) bool) bson.D {
	kept := bson.D{}
	for _, condition := range conditions {
		parts, ok := condition.Value.(bson.A)
		switch {
		case !drop(bson.D{condition}):
			kept = append(kept, condition)
		case condition.Key == "$and" && ok:
			for _, part := range parts {
				if d, ok := part.(bson.D); ok {
					kept = append(kept, bson.E{Key: "$and", Value: bson.A{without(d, drop)}})
				}
			}
		}
	}
	return kept
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
