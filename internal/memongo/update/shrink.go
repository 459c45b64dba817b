package update

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// pull is $pull and $pullAll: it takes elements out of an array.
type pull struct {
	matches func(v any) (bool, error)
}

func parsePull(arg any) (operator, error) {
	m, err := match.CompileElement(arg)
	if err != nil {
		return nil, err
	}
	return pull{m.Match}, nil
}

func parsePullAll(arg any) (operator, error) {
	list, ok := arg.(bson.A)
	if !ok {
		return nil, mongoerr.New(mongoerr.BadValue,
			"$pullAll requires an array argument but was given a %s", value.TypeName(arg))
	}
	return pull{func(v any) (bool, error) { return contains(list, v), nil }}, nil
}

func contains(list bson.A, v any) bool {
	return slices.ContainsFunc(list, func(other any) bool { return value.Equal(other, v) })
}

func (o pull) update(_ site, old any) (any, effect, error) {
	list, ok := old.(bson.A)
	if !ok {
		return nil, nothing, mongoerr.New(mongoerr.BadValue,
			"Cannot apply $pull to a non-array value")
	}
	left := make(bson.A, 0, len(list))
	for _, v := range list {
		matches, err := o.matches(v)
		if err != nil {
			return nil, nothing, err
		}
		if !matches {
			left = append(left, v)
		}
	}
	if len(left) == len(list) {
		return old, nothing, nil
	}
	return left, changed, nil
}

func (pull) create(site) any { return nil }

// pop is $pop.
type pop struct{ first bool }

func parsePop(field string, arg any) (operator, error) {
	if !value.IsNumber(arg) {
		return nil, mongoerr.New(mongoerr.FailedToParse, "Expected a number in: %s: %s",
			field, value.Show(arg))
	}
	n, ok := value.Int64(arg)
	if !ok {
		return nil, mongoerr.New(mongoerr.FailedToParse, "Expected an integer: %s: %s",
			field, value.Show(arg))
	}
	if n != 1 && n != -1 {
		return nil, mongoerr.New(mongoerr.FailedToParse, "$pop expects 1 or -1, found: %d", n)
	}
	return pop{first: n == -1}, nil
}

func (o pop) update(s site, old any) (any, effect, error) {
	list, ok := old.(bson.A)
	switch {
	case !ok:
		return nil, nothing, mongoerr.New(mongoerr.TypeMismatch, "Path '%s' contains an element "+
			"of non-array type '%s'", s.at.path, value.TypeName(old))
	case len(list) == 0:
		return old, nothing, nil
	case o.first:
		return join(list[1:]), changed, nil
	}
	return join(list[:len(list)-1]), changed, nil
}

func (pop) create(site) any { return nil }
