package update

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// parseSort reads the $sort of a $push, by whole elements or by their fields.
func parseSort(spec any) (func(a, b any) int, error) {
	pattern, ok := spec.(bson.D)
	switch {
	case ok:
		return parsePattern(pattern)
	case !value.IsNumber(spec):
		return nil, mongoerr.New(mongoerr.BadValue, "The $sort is invalid: use 1/-1 to sort the "+
			"whole element, or {field:1/-1} to sort embedded fields")
	}
	sign, ok := direction(spec)
	if !ok {
		return nil, mongoerr.New(mongoerr.BadValue,
			"The $sort element value must be either 1 or -1")
	}
	return func(a, b any) int { return sign * value.Compare(a, b) }, nil
}

func direction(v any) (sign int, ok bool) {
	n, ok := value.Int64(v)
	return int(n), ok && (n == 1 || n == -1)
}

func parsePattern(pattern bson.D) (func(a, b any) int, error) {
	if len(pattern) == 0 {
		return nil, mongoerr.New(mongoerr.BadValue,
			"The sort pattern is empty when it should be a set of fields.")
	}
	for _, field := range pattern {
		if err := checkSortField(field); err != nil {
			return nil, err
		}
	}
	return func(a, b any) int {
		for _, field := range pattern {
			sign, _ := direction(field.Value)
			p := strings.Split(field.Key, ".")
			if c := value.Compare(sortKey(a, p), sortKey(b, p)); c != 0 {
				return sign * c
			}
		}
		return 0
	}, nil
}

func checkSortField(field bson.E) error {
	_, ok := direction(field.Value)
	switch {
	case !ok:
		return mongoerr.New(mongoerr.BadValue, "The sort element value must be either 1 or -1")
	case field.Key == "":
		return mongoerr.New(mongoerr.BadValue, "The sort field cannot be empty")
	case strings.Contains("."+field.Key+".", ".."):
		return mongoerr.New(mongoerr.BadValue,
			"The sort field is a dotted field but has an empty part: %s", field.Key)
	}
	return nil
}

// sortKey returns what is at a path in an element, or the array that is in its way, or null.
func sortKey(v any, p path) any {
	if _, ok := v.(bson.D); !ok {
		return nil
	}
	for _, part := range p {
		d, ok := v.(bson.D)
		if !ok {
			break
		}
		if v, ok = value.Get(d, part); !ok {
			return nil
		}
		p = p[1:]
	}
	if _, inTheWay := v.(bson.A); len(p) > 0 && !inTheWay {
		return nil
	}
	return v
}
