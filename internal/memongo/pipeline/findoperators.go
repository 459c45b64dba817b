package pipeline

import (
	"errors"
	"math"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// positionalField reads a path that ends in the positional operator; it reports false for others.
func (r *projectionReader) positionalField(path string, spec any) (bool, error) {
	if strings.Contains(path, ".$.") && r.find {
		return true, mongoerr.New(31394, "As of 4.4, it's illegal to specify positional operator in "+
			"the middle of a path.Positional projection may only be used at the end, for example: "+
			"a.b.$. If the query previously used a form like a.b.$.d, remove the parts following "+
			"the '$' and the results will be equivalent.")
	}
	array, ok := strings.CutSuffix(path, ".$")
	switch {
	case !ok:
		return false, nil
	case !r.find:
		return true, mongoerr.New(31324,
			"Cannot use positional projection in aggregation projection")
	case !isFlag(spec) && !isDocument(spec):
		return true, mongoerr.New(31308, "positional projection cannot be used with a literal")
	case !isFlag(spec):
		return true, mongoerr.New(31271,
			"positional projection cannot be used with an expression or sub object")
	case !value.Truthy(spec):
		return true, mongoerr.New(31395, "positional projection cannot be used with exclusion")
	case r.positional != nil:
		return true, mongoerr.New(31276,
			"Cannot specify more than one positional projection per query.")
	case r.elemMatch:
		return true, mixedPositions()
	}
	if err := expr.CheckPath(array); err != nil {
		return true, err
	}
	if err := r.decide(true); err != nil {
		return true, err
	}
	r.positional = strings.Split(array, ".")
	return true, r.insert(array, &entry{include: true})
}

func mixedPositions() error {
	return mongoerr.New(31255, "Cannot specify positional operator and $elemMatch.")
}

func isFlag(spec any) bool {
	_, isBool := spec.(bool)
	return isBool || value.IsNumber(spec)
}

// findOperator reads what is an operator of find and no expression; it reports false for others.
func (r *projectionReader) findOperator(path string, spec bson.D) (bool, error) {
	name, argument := spec[0].Key, spec[0].Value
	switch {
	case name == "$elemMatch" && !r.find:
		return true, mongoerr.New(mongoerr.InvalidPipelineOperator,
			"Cannot use $elemMatch in this context")
	case name == "$elemMatch":
		return true, r.elementMatch(path, argument)
	case name == "$meta":
		return true, mongoerr.Unsupported("the expression $meta")
	case name == "$slice" && r.find:
		return r.slice(path, spec)
	}
	return false, nil
}

// elementMatch leaves the first element that meets a condition.
func (r *projectionReader) elementMatch(path string, condition any) error {
	d, ok := condition.(bson.D)
	switch {
	case !ok:
		return mongoerr.New(31274, "elemMatch: Invalid argument, object required, but got %s",
			value.TypeName(condition))
	case r.positional != nil:
		return mixedPositions()
	case strings.Contains(path, "."):
		return mongoerr.New(31275, "Cannot use $elemMatch projection on a nested field.")
	}
	m, err := match.Compile(bson.D{{Key: path, Value: bson.D{{Key: "$elemMatch", Value: d}}}})
	if err != nil {
		return err
	}
	r.elemMatch = true
	return r.insert(path, &entry{compute: func(v *expr.Vars) (any, error) {
		root, _ := v.Root.(bson.D)
		list, _ := value.Get(root, path)
		elements, ok := list.(bson.A)
		if !ok {
			return value.Missing, nil
		}
		pos, ok, err := m.MatchPosition(bson.D{{Key: path, Value: elements}}, v)
		if err != nil || !ok || pos < 0 || pos >= len(elements) {
			return value.Missing, err
		}
		return bson.A{elements[pos]}, nil
	}})
}

// slice reads {$slice: n} and {$slice: [skip, n]}; others are the expression $slice, whose field
// is computed.
func (r *projectionReader) slice(path string, spec bson.D) (bool, error) {
	s := slicing{path: strings.Split(path, ".")}
	argument := spec[0].Value
	list, isList := argument.(bson.A)
	switch {
	case value.IsNumber(argument):
		s.count = clamp(argument)
		if s.count < 0 {
			s.from, s.count = s.count, -s.count
		}
	case isList && len(list) == 2 && value.IsNumber(list[0]) && clamp(list[1]) > 0:
		s.from, s.count = clamp(list[0]), clamp(list[1])
	default:
		because := "Location31273: $slice only supports numbers and [skip, limit] arrays"
		if isList {
			because = "Location31272: $slice array argument should be of form [skip, limit]"
		}
		return true, r.sliceExpression(path, spec, because)
	}
	err := r.insert(path, &entry{include: true})
	var collides *mongoerr.Error
	if errors.As(err, &collides) {
		because := collides.CodeName() + ": " + collides.Message
		return true, r.sliceExpression(path, spec, because)
	}
	r.slices = append(r.slices, s)
	return true, err
}

// sliceExpression reads the expression $slice, after find's has been refused for a reason.
func (r *projectionReader) sliceExpression(path string, spec bson.D, because string) error {
	err := r.computed(path, spec)
	var wrong *mongoerr.Error
	if !errors.As(err, &wrong) {
		return err
	}
	return mongoerr.New(wrong.Code, "Invalid $slice syntax. The given syntax %s did not match the "+
		"find() syntax because :: %s :: The given syntax did not match the expression $slice "+
		"syntax. :: caused by :: %s", value.Show(spec), because, wrong.Message)
}

// clamp cuts a number to an int32; what is none is 0.
func clamp(n any) int {
	f, _ := value.Float64(n)
	if math.IsNaN(f) {
		return 0
	}
	return int(max(math.MinInt32, min(math.MaxInt32, f)))
}
