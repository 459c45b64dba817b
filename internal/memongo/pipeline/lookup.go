package pipeline

import (
	"iter"
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
	rawLet      bson.D
	rawPipeline bson.A
}

func (c *compiler) lookup(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if !ok {
		return nil, mongoerr.New(mongoerr.FailedToParse,
			"the $lookup stage specification must be an object, but found %s", value.TypeName(spec))
	}
	j := &joining{env: c.env}
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

// compile reads the inner pipeline, which can use the variables of let.
func (j *joining) compile(c *compiler) (constant error) {
	for _, variable := range j.rawLet {
		if err := expr.CheckVariable(variable.Key); err != nil {
			return err
		}
		x, err := c.expr(variable.Value)
		if err != nil && !isConstant(err) {
			return err
		}
		if constant == nil {
			constant = err
		}
		j.let, j.values = append(j.let, variable.Key), append(j.values, x)
	}
	if j.rawPipeline == nil {
		return constant
	}
	sub, err := c.with(j.let).pipeline(j.rawPipeline)
	if err != nil {
		return err
	}
	j.sub = sub
	return constant
}

func (j *joining) run(in documents, v *expr.Vars) documents {
	return mapper(func(doc bson.D, v *expr.Vars) (bson.D, bool, error) {
		found, err := j.matches(doc, v)
		if err != nil {
			return nil, false, err
		}
		return setAt(doc, j.as, found), true, nil
	}).run(in, v)
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
	var filter *match.Matcher
	if j.local != nil {
		m, err := match.Compile(bson.D{{Key: "$or", Value: j.conditions(doc)}})
		if err != nil {
			return nil, err
		}
		filter = m
	}
	return func(yield func(bson.D, error) bool) {
		for other := range others {
			keep, err := true, error(nil)
			if filter != nil {
				keep, err = filter.Match(other, nil)
			}
			if (keep || err != nil) && !yield(other, err) {
				return
			}
		}
	}, nil
}

// conditions compare with each local value, or with null if there is none.
func (j *joining) conditions(doc bson.D) bson.A {
	values := localValues(doc, j.local, nil)
	if len(values) == 0 {
		values = []any{nil}
	}
	conditions := bson.A{}
	for _, val := range values {
		equal := bson.D{{Key: "$eq", Value: val}}
		conditions = append(conditions, bson.D{{Key: j.foreign, Value: equal}})
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
