package match

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// operators reads the operators of a field, all of which have to be true.
func (p *parser) operators(name string, operators bson.D) ([]node, error) {
	nodes := make([]node, 0, len(operators))
	for _, operator := range operators {
		if operator.Key == "$options" && has(operators, "$regex") {
			continue // $regex reads it
		}
		n, err := p.fieldOperator(name, operator, operators)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// newField returns what makes a node of a test. It takes an error, too, so that it can be put
// around what makes the test.
func newField(name string) func(test, error) (node, error) {
	return func(t test, err error) (node, error) {
		if err != nil {
			return nil, err
		}
		return field{newPath(name), t}, nil
	}
}

// comparisons are the operators that compare with any value.
var comparisons = map[string]rank{
	"$eq": rankEQ, "$lt": rankLT, "$lte": rankLTE, "$gt": rankGT, "$gte": rankGTE,
}

func (p *parser) fieldOperator(name string, operator bson.E, all bson.D) (node, error) {
	v := operator.Value
	if order, ok := comparisons[operator.Key]; ok {
		return p.comparison(name, order, v)
	}
	switch operator.Key {
	case "$ne":
		if _, ok := v.(bson.Regex); ok {
			return nil, badValue("Can't have regex as arg to $ne.")
		}
		return negated(p.comparison(name, rankEQ, v))
	case "$in", "$nin":
		return p.in(name, operator)
	case "$not":
		return p.not(name, v)
	case "$exists":
		if !value.Truthy(v) {
			return not{field{newPath(name), exists{}}}, nil
		}
		return field{newPath(name), exists{}}, nil
	case "$regex":
		return newField(name)(p.pattern(all))
	case "$options":
		return nil, badValue("$options needs a $regex")
	case "$all":
		return p.all(name, v)
	case "$elemMatch":
		return newField(name)(p.elemMatch(v))
	}
	return p.numericOperator(name, operator)
}

func (p *parser) numericOperator(name string, operator bson.E) (node, error) {
	switch operator.Key {
	case "$type":
		return newField(name)(parseTypes(name, operator.Value))
	case "$size":
		return newField(name)(parseSize(operator.Value))
	case "$mod":
		return newField(name)(parseMod(operator.Value))
	case "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear":
		return newField(name)(parseBits(name, operator))
	case "$where":
		return nil, badValue("$where cannot be applied to a field")
	case "$near", "$nearSphere", "$geoNear", "$geoWithin", "$within", "$geoIntersects":
		return nil, mongoerr.Unsupported("%s", operator.Key)
	}
	if strings.HasPrefix(operator.Key, "$_internal") {
		return nil, mongoerr.Unsupported("%s", operator.Key)
	}
	return nil, badValue("unknown operator: %s", operator.Key)
}

func (p *parser) comparison(name string, order rank, v any) (node, error) {
	switch v.(type) {
	case bson.Undefined:
		return nil, badValue("cannot compare to undefined")
	case bson.Regex:
		if order != rankEQ {
			return nil, badValue("Can't have RegEx as arg to predicate over field '%s'.", name)
		}
	}
	return field{newPath(name), comparison{v, order}}, nil
}

func negated(n node, err error) (node, error) {
	if err != nil {
		return nil, err
	}
	return not{n}, nil
}

// in reads $in, which is an equality if there is one value, or $nin.
func (p *parser) in(name string, operator bson.E) (node, error) {
	a, ok := operator.Value.(bson.A)
	if !ok {
		return nil, badValue("%s needs an array", operator.Key)
	}
	var values []any
	var patterns []pattern
	for _, v := range a {
		switch v := v.(type) {
		case bson.Undefined:
			return nil, badValue("InMatchExpression equality cannot be undefined")
		case bson.D:
			if isOperators(v) {
				return nil, badValue("cannot nest $ under %s", operator.Key)
			}
		case bson.Regex:
			compiled, err := newPattern(v)
			if err != nil {
				return nil, err
			}
			patterns = append(patterns, compiled)
			continue
		}
		values = append(values, v)
	}
	var n node = field{newPath(name), newIn(values, patterns)}
	if distinct := newIn(values, nil).values; len(distinct) == 1 && len(patterns) == 0 {
		n = field{newPath(name), comparison{distinct[0], rankEQ}}
	}
	if operator.Key == "$nin" {
		n = not{n}
	}
	return n, nil
}

func (p *parser) not(name string, v any) (node, error) {
	switch v := v.(type) {
	case bson.Regex:
		return negated(newField(name)(newPattern(v)))
	case bson.D:
		if len(v) == 0 {
			return nil, badValue("$not cannot be empty")
		}
		nodes, err := p.operators(name, v)
		return negated(conjunction(nodes), err)
	}
	return nil, badValue("$not needs a regex or a document")
}

// all reads $all: an $and of equalities, or of $elemMatch.
func (p *parser) all(name string, v any) (node, error) {
	a, ok := v.(bson.A)
	if !ok {
		return nil, badValue("$all needs an array")
	}
	if len(a) == 0 {
		return constant(false), nil
	}
	first, _ := a[0].(bson.D)
	elemMatch := len(first) > 0 && first[0].Key == "$elemMatch"
	nodes := make([]node, len(a))
	for i, v := range a {
		var err error
		if elemMatch {
			nodes[i], err = p.allElemMatch(name, v)
		} else {
			nodes[i], err = p.allEqual(name, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return conjunction(nodes), nil
}

func (p *parser) allElemMatch(name string, v any) (node, error) {
	d, _ := v.(bson.D)
	if len(d) == 0 || d[0].Key != "$elemMatch" {
		return nil, badValue("$all/$elemMatch has to be consistent")
	}
	return newField(name)(p.elemMatch(d[0].Value))
}

func (p *parser) allEqual(name string, v any) (node, error) {
	switch v := v.(type) {
	case bson.Regex:
		return newField(name)(newPattern(v))
	case bson.D:
		if isOperators(v) {
			return nil, badValue("no $ expressions in $all")
		}
	}
	return p.comparison(name, rankEQ, v)
}

// elemMatch tells a filter from operators by the first field: operators of whole documents make a
// filter.
func (p *parser) elemMatch(v any) (test, error) {
	d, ok := v.(bson.D)
	if !ok {
		return nil, badValue("$elemMatch needs an Object")
	}
	inner := parser{place: insideArray}
	if len(d) > 0 && isOperator(d[0].Key) && !isPathless(d[0].Key) {
		nodes, err := inner.operators("", d)
		return elemMatchOperators{conjunction(nodes)}, err
	}
	filter, err := inner.filter(d)
	return elemMatchFilter{filter}, err
}

// isFieldOperator reports whether an operator stands below a field. $not does only there, and is
// not counted.
func isFieldOperator(name string) bool {
	if _, ok := comparisons[name]; ok {
		return true
	}
	switch name {
	case "$ne", "$in", "$nin", "$exists", "$regex", "$options", "$all", "$elemMatch", "$type",
		"$size", "$mod", "$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear", "$near",
		"$nearSphere", "$geoNear", "$geoWithin", "$within", "$geoIntersects":
		return true
	}
	return false
}

// isPathless reports whether an operator stands without a field.
func isPathless(name string) bool {
	switch name {
	case "$and", "$or", "$nor", "$expr", "$comment", "$alwaysTrue", "$alwaysFalse", "$where",
		"$text", "$jsonSchema", "$sampleRate":
		return true
	}
	return strings.HasPrefix(name, "$_internal")
}
