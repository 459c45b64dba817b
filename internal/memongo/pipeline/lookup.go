package pipeline

import (
	"iter"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// joining is a $lookup.
type joining struct {
	env         Env
	from        string
	as          []string
	local       []string // nil: all documents of the other collection
	foreign     string
	let         []string
	values      []expr.Expr
	sub         *Pipeline // nil: documents as they are
	constant    error     // of sub
	pushed      bool      // see compiler
	rawLet      bson.D
	rawPipeline bson.A
}

func (c *compiler) lookup(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if !ok {
		return nil, mongoerr.New(mongoerr.FailedToParse,
			"the $lookup stage specification must be an object, but found %s", value.TypeName(spec))
	}
	j := &joining{env: c.env, pushed: c.pushed}
	for _, field := range d {
		if err := j.read(field); err != nil {
			return nil, err
		}
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	return j, j.compile(c)
}

func (j *joining) read(field bson.E) error {
	text, isText := field.Value.(string)
	switch field.Key {
	case "from":
		if isDocument(field.Value) {
			return mongoerr.Unsupported("$lookup from another database")
		}
		if !isText {
			return failedLookup("$lookup 'from' field must be a string, but found %s",
				value.TypeName(field.Value))
		}
		j.from = text
	case "pipeline":
		list, ok := field.Value.(bson.A)
		if !ok {
			return mongoerr.New(mongoerr.TypeMismatch,
				"'pipeline' option must be specified as an array")
		}
		j.rawPipeline = append(bson.A{}, list...)
	case "let":
		d, ok := field.Value.(bson.D)
		if !ok {
			return failedLookup("$lookup argument 'let: %s' must be an object, is type %s",
				value.Show(field.Value), value.TypeName(field.Value))
		}
		j.rawLet = d
	case "as", "localField", "foreignField":
		if !isText {
			return failedLookup("$lookup argument '%s' must be a string, found %s: %s: %s",
				field.Key, field.Key, value.Show(field.Value), value.TypeName(field.Value))
		}
		return j.readPath(field.Key, text)
	default:
		return failedLookup("unknown argument to $lookup: %s", field.Key)
	}
	return nil
}

func (j *joining) readPath(name, path string) error {
	switch name {
	case "as":
		j.as = strings.Split(path, ".")
	case "localField":
		j.local = strings.Split(path, ".")
	case "foreignField":
		j.foreign = path
	}
	return expr.CheckPath(path)
}

func failedLookup(format string, args ...any) error {
	return mongoerr.New(mongoerr.FailedToParse, format, args...)
}

func (j *joining) check() error {
	switch {
	case j.from == "" && j.rawPipeline == nil:
		return failedLookup("must specify 'pipeline' when 'from' is empty")
	case j.from == "":
		return mongoerr.Unsupported("$lookup without from")
	case j.rawPipeline == nil && (j.local == nil || j.foreign == ""),
		(j.local == nil) != (j.foreign == ""):
		return failedLookup("$lookup requires either 'pipeline' or both 'localField' and " +
			"'foreignField' to be specified")
	case j.as == nil:
		return failedLookup("must specify 'as' field for a $lookup")
	case j.rawLet != nil && j.rawPipeline == nil:
		return failedLookup("$lookup with a 'let' argument must also specify 'pipeline'")
	}
	return nil
}

// compile reads the inner pipeline, which can use the variables of let. A server optimizes it for
// each document, so that errors of constants come when there is one.
func (j *joining) compile(c *compiler) error {
	for _, variable := range j.rawLet {
		if err := expr.CheckVariable(variable.Key); err != nil {
			return err
		}
		x, err := c.expr(variable.Value)
		if err != nil && !isConstant(err) {
			return err
		}
		j.let, j.values = append(j.let, variable.Key), append(j.values, x)
	}
	if j.rawPipeline == nil {
		return nil
	}
	j.sub, j.constant = c.with(j.let).pipeline(j.rawPipeline)
	if j.sub == nil {
		return j.constant
	}
	return nil
}

func (j *joining) run(in documents, v *expr.Vars) documents {
	return mapper(func(doc bson.D, v *expr.Vars) (bson.D, bool, error) {
		found, err := j.matches(doc, v)
		if err != nil {
			return nil, false, err
		}
		if j.sub != nil || !j.pushed {
			return setAt(doc, j.as, found), true, nil
		}
		return setLast(doc, j.as, found), true, nil
	}).run(in, v)
}

// setLast is setAt for what a server's other engine computes: the field comes last.
func setLast(d bson.D, path []string, val any) bson.D {
	if len(path) > 1 {
		below, _ := value.Get(d, path[0])
		inner, _ := below.(bson.D)
		val = setLast(inner, path[1:], val)
	}
	return append(value.Without(d, path[0]), bson.E{Key: path[0], Value: val})
}

func (j *joining) matches(doc bson.D, v *expr.Vars) (bson.A, error) {
	candidates, err := j.candidates(doc)
	if err != nil {
		return nil, err
	}
	inner := v
	for i, x := range j.values {
		val, err := x.Eval(v.On(doc))
		if err != nil {
			return nil, err
		}
		inner = inner.With(j.let[i], val)
	}
	if j.constant != nil {
		return nil, j.constant
	}
	if j.sub != nil {
		candidates = j.sub.pass(candidates, inner)
	}
	found := bson.A{}
	for other, err := range candidates {
		if err != nil {
			return nil, err
		}
		found = append(found, other)
	}
	return found, nil
}

// candidates are the documents of the other collection whose field has one of the local values.
func (j *joining) candidates(doc bson.D) (documents, error) {
	var others iter.Seq[bson.D] = func(func(bson.D) bool) {}
	if j.env.Source != nil {
		others = j.env.Source.Collection(j.env.DB, j.from)
	}
	if j.local == nil {
		return each(slices.Collect(others)), nil
	}
	m, err := match.Compile(bson.D{{Key: "$or", Value: j.conditions(doc)}})
	if err != nil {
		return nil, err
	}
	var found []bson.D
	for other := range others {
		keep, err := m.Match(other, nil)
		if err != nil {
			return nil, err
		}
		if keep {
			found = append(found, other)
		}
	}
	return each(found), nil
}

// conditions compare with each local value once, or with null if there is none.
func (j *joining) conditions(doc bson.D) bson.A {
	values := localValues(doc, j.local, nil)
	if len(values) == 0 {
		values = []any{nil}
	}
	conditions, seen := bson.A{}, map[string]bool{}
	for _, val := range values {
		if key := value.Key(val); !seen[key] {
			seen[key] = true
			equal := bson.D{{Key: "$eq", Value: val}}
			conditions = append(conditions, bson.D{{Key: j.foreign, Value: equal}})
		}
	}
	return conditions
}

// localValues appends what a path leads to, through arrays, and the elements of arrays at its end.
func localValues(val any, path []string, found []any) []any {
	switch at := val.(type) {
	case bson.D:
		if len(path) == 0 {
			return append(found, at)
		}
		if below, ok := value.Get(at, path[0]); ok {
			return localValues(below, path[1:], found)
		}
	case bson.A:
		if len(path) == 0 {
			return append(found, at...)
		}
		for _, element := range at {
			if isDocument(element) {
				found = localValues(element, path, found)
			}
		}
	default:
		if len(path) == 0 {
			return append(found, val)
		}
	}
	return found
}
