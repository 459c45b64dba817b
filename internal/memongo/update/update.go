package update

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
)

// Options are what a statement says beside its update.
type Options struct {
	ArrayFilters []bson.D

	// Upsert says that the statement may insert. It changes nothing about what is accepted.
	Upsert bool

	// Multi says that the statement is for all documents that match. A replacement is not.
	Multi bool

	// Let are the variables that a pipeline can use: the command's, and the statement's
	// constants. Their values are looked up in [Context.Vars].
	Let bson.D
}

// Update is a compiled update. It holds no state: many documents can be updated at once.
type Update struct {
	replacement bson.D                           // or
	pipeline    *pipeline.Pipeline               // or
	operators   *node                            // and
	filters     map[string]*match.ElementMatcher // of arrayFilters, by identifier
}

// Compile checks an update: a bson.D of operators or a replacement, or a bson.A of stages.
func Compile(u any, o Options) (*Update, error) {
	switch u := u.(type) {
	case bson.A:
		return compilePipeline(u, o)
	case bson.D:
		if len(u) > 0 && strings.HasPrefix(u[0].Key, "$") {
			return compileOperators(u, o)
		}
		if o.Multi {
			return nil, mongoerr.New(mongoerr.FailedToParse,
				"multi update is not supported for replacement-style update")
		}
		return &Update{replacement: append(bson.D{}, u...)}, nil
	}
	return nil, mongoerr.New(mongoerr.FailedToParse,
		"Update argument must be either an object or an array")
}

func compilePipeline(stages bson.A, o Options) (*Update, error) {
	if len(o.ArrayFilters) > 0 {
		return nil, mongoerr.New(mongoerr.FailedToParse,
			"arrayFilters may not be specified for pipeline-style updates")
	}
	let := make(map[string]any, len(o.Let))
	for _, field := range o.Let {
		let[field.Key] = field.Value
	}
	p, err := pipeline.CompileUpdate(stages, let)
	if err != nil {
		return nil, err
	}
	return &Update{pipeline: p}, nil
}

// IsReplacement reports whether the update puts a whole document in the other's place.
func (u *Update) IsReplacement() bool { return u.replacement != nil }

// IsPipeline reports whether the update is made of stages.
func (u *Update) IsPipeline() bool { return u.pipeline != nil }

// Apply makes the updated document.
func (u *Update) Apply(doc bson.D, c Context) (Result, error) {
	c = c.complete()
	switch {
	case u.replacement != nil:
		return u.replace(doc, c)
	case u.pipeline != nil:
		return u.transform(doc, c)
	}
	a, err := u.operate(&element{value: doc}, c)
	if err != nil || !a.written {
		return Result{Doc: doc}, err
	}
	r := Result{Doc: a.root.close().(bson.D), Changed: true}
	a.log.describe(&r.Desc, "", a.root)
	return r, nil
}

// operate applies operators.
func (u *Update) operate(root *element, c Context) (*application, error) {
	a := &application{Context: c, root: root, filters: u.filters, log: &record{}}
	root.open()
	return a, a.apply(u.operators, place{element: root})
}
