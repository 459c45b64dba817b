package match

import (
	"math"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

func parseSize(v any) (size, error) {
	i, err := smallNatural("$size", v)
	if err != nil {
		return 0, badValue("Failed to parse $size. %s", err)
	}
	return size(i), nil
}

func parseMod(v any) (mod, error) {
	a, ok := v.(bson.A)
	switch {
	case !ok:
		return mod{}, badValue("malformed mod, needs to be an array")
	case len(a) == 0:
		return mod{}, badValue("malformed mod, not enough elements")
	case !value.IsNumber(a[0]):
		return mod{}, badValue("malformed mod, divisor not a number")
	case len(a) == 1:
		return mod{}, badValue("malformed mod, not enough elements")
	case !value.IsNumber(a[1]):
		return mod{}, badValue("malformed mod, remainder not a number")
	case len(a) > 2:
		return mod{}, badValue("malformed mod, too many elements")
	}
	divisor, err := truncate(a[0])
	if err != nil {
		return mod{}, badValue("malformed mod, divisor value is invalid :: caused by :: %s", err)
	}
	remainder, err := truncate(a[1])
	if err != nil {
		return mod{}, badValue("malformed mod, remainder value is invalid :: caused by :: %s", err)
	}
	if divisor == 0 {
		return mod{}, badValue("divisor cannot be 0")
	}
	return mod{divisor, remainder}, nil
}

// parseBits reads which bits a mask of any form stands for.
func parseBits(name string, operator bson.E) (bitTest, error) {
	t := bitTest{
		set: operator.Key == "$bitsAllSet" || operator.Key == "$bitsAnySet",
		all: operator.Key == "$bitsAllSet" || operator.Key == "$bitsAllClear",
	}
	var err error
	switch v := operator.Value.(type) {
	case bson.A:
		t.positions, err = bitPositions(v)
	case bson.Binary:
		bit, _ := bitsOf(v)
		t.positions = positionsOf(bit, len(v.Data)*8)
	default:
		if !value.IsNumber(v) {
			return t, badValue("%s takes an Array, a number, or a BinData but received: %s: %s",
				name, operator.Key, value.Show(v))
		}
		mask, problem := natural(operator.Key, v)
		if problem != nil {
			return t, failedToParse("%s", problem)
		}
		t.positions = positionsOf(bitsOfWhole(mask), 64)
	}
	return t, err
}

func bitPositions(a bson.A) (positions []int, err error) {
	for i, v := range a {
		position, err := smallNatural(strconv.Itoa(i), v)
		if err != nil {
			return nil, badValue("Failed to parse bit position. %s", err)
		}
		positions = append(positions, position)
	}
	return positions, nil
}

func positionsOf(bit func(position int) bool, count int) (positions []int) {
	for position := range count {
		if bit(position) {
			positions = append(positions, position)
		}
	}
	return positions
}

// typeCodes are the types by their names.
var typeCodes = map[string][]int{
	"double": {1}, "string": {2}, "object": {3}, "array": {4}, "binData": {5},
	"undefined": {6}, "objectId": {7}, "bool": {8}, "date": {9}, "null": {10}, "regex": {11},
	"dbPointer": {12}, "javascript": {13}, "symbol": {14}, "javascriptWithScope": {15},
	"int": {16}, "timestamp": {17}, "long": {18}, "decimal": {19}, "minKey": {-1},
	"maxKey": {127}, "number": {1, 16, 18, 19},
}

// parseTypes reads one type, or an array of them.
func parseTypes(name string, v any) (types, error) {
	a, ok := v.(bson.A)
	if !ok {
		return parseType(v)
	}
	if len(a) == 0 {
		return nil, failedToParse("%s must match at least one type", name)
	}
	var all types
	for _, v := range a {
		codes, err := parseType(v)
		if err != nil {
			return nil, err
		}
		all = append(all, codes...)
	}
	return all, nil
}

func parseType(v any) (types, error) {
	if name, ok := v.(string); ok {
		codes, known := typeCodes[name]
		switch {
		case name == "missing":
			return nil, badValue("'missing' is not a legal type name. To query for " +
				"non-existence of a field, use {$exists:false}.")
		case !known:
			return nil, badValue("Unknown type name alias: %s", name)
		}
		return codes, nil
	}
	f, ok := value.Float64(v)
	if !ok {
		return nil, mongoerr.New(mongoerr.TypeMismatch,
			"type must be represented as a number or a string")
	}
	return numberedType(f)
}

func numberedType(f float64) (types, error) {
	code := int(max(-128, min(128, f)))
	switch {
	case f == 0:
		return nil, badValue("Invalid numerical type code: 0. Instead use {$exists:false}.")
	case float64(code) != f || code < -1 || code > 19 && code != 127:
		return nil, badValue("Invalid numerical type code: %s", shortDouble(f))
	}
	return types{code}, nil
}

// shortDouble is how the server prints a double that is not part of a value.
func shortDouble(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}
