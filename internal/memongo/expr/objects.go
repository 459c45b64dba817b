package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// objects has what merges documents, and makes arrays of them and of arrays documents.
func objects(name string) reader {
	switch name {
	case "$mergeObjects":
		return lazy(0, unlimited, mergeOperands)
	case "$objectToArray":
		return strictUnary(objectToArray)
	case "$arrayToObject":
		return strictUnary(arrayToObject)
	}
	return nil
}

// mergeOperands merges operands, or the elements of the only one.
func mergeOperands(v *Vars, operands []Expr) (any, error) {
	merged := bson.D{}
	for _, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil {
			return nil, err
		}
		values, ok := val.(bson.A)
		if !ok || len(operands) > 1 {
			values = bson.A{val}
		}
		for _, val := range values {
			if merged, err = Merge(merged, val); err != nil {
				return nil, err
			}
		}
	}
	return merged, nil
}

// Merge adds the fields of a document to one that the caller made; null and missing have none.
func Merge(into bson.D, val any) (bson.D, error) {
	if nullish(val) {
		return into, nil
	}
	d, ok := val.(bson.D)
	if !ok {
		return nil, mongoerr.New(40400, "$mergeObjects requires object inputs, but input %s is of "+
			"type %s", value.ShowResult(val), value.TypeName(val))
	}
	for _, field := range d {
		into = put(into, field.Key, field.Value)
	}
	return into, nil
}

// put sets a field of a document that the caller made.
func put(d bson.D, name string, val any) bson.D {
	for i := range d {
		if d[i].Key == name {
			d[i].Value = val
			return d
		}
	}
	return append(d, bson.E{Key: name, Value: val})
}

func objectToArray(operand any) (any, error) {
	d, ok := operand.(bson.D)
	if !ok {
		return nil, mongoerr.New(40390, "$objectToArray requires a document input, found: %s",
			value.TypeName(operand))
	}
	pairs := make(bson.A, len(d))
	for i, field := range d {
		pairs[i] = bson.D{{Key: "k", Value: field.Key}, {Key: "v", Value: field.Value}}
	}
	return pairs, nil
}

func arrayToObject(operand any) (any, error) {
	elements, ok := operand.(bson.A)
	if !ok {
		return nil, mongoerr.New(40386, "$arrayToObject requires an array input, found: %s",
			value.TypeName(operand))
	}
	d := bson.D{}
	if len(elements) == 0 {
		return d, nil
	}
	read, err := pairReader(elements[0])
	if err != nil {
		return nil, err
	}
	for _, element := range elements {
		key, val, err := read(element)
		if err != nil {
			return nil, err
		}
		d = put(d, key, val)
	}
	return d, nil
}

// pairReader returns what reads elements that are like the first.
func pairReader(first any) (func(any) (string, any, error), error) {
	switch first.(type) {
	case bson.A:
		return arrayPair, nil
	case bson.D:
		return objectPair, nil
	}
	return nil, mongoerr.New(40398, "Unrecognised input type format for $arrayToObject: %s",
		value.TypeName(first))
}

// inconsistent says that the elements are some arrays and some documents.
func inconsistent(code int32, first string, found any) error {
	return mongoerr.New(code, "$arrayToObject requires a consistent input format. Elements must"+
		"all be arrays or all be objects. %s was detected, now found: %s", first,
		value.TypeName(found))
}

func arrayPair(element any) (key string, val any, err error) {
	pair, ok := element.(bson.A)
	if !ok {
		return "", nil, inconsistent(40396, "Array", element)
	}
	if len(pair) != 2 {
		return "", nil, mongoerr.New(40397, "$arrayToObject requires an array of size 2 arrays,"+
			"found array of size: %d", len(pair))
	}
	key, ok = pair[0].(string)
	if !ok {
		return "", nil, mongoerr.New(40395, "$arrayToObject requires an array of key-value pairs, "+
			"where the key must be of type string. Found key type: %s", value.TypeName(pair[0]))
	}
	return key, pair[1], checkKey(4940400, key)
}

func objectPair(element any) (key string, val any, err error) {
	pair, ok := element.(bson.D)
	if !ok {
		return "", nil, inconsistent(40391, "Object", element)
	}
	if len(pair) != 2 {
		return "", nil, mongoerr.New(40392, "$arrayToObject requires an object keys of 'k' and "+
			"'v'. Found incorrect number of keys:%d", len(pair))
	}
	k, v := field(pair, "k"), field(pair, "v")
	if k == value.Missing || v == value.Missing {
		return "", nil, mongoerr.New(40393, "$arrayToObject requires an object with keys 'k' and "+
			"'v'. Missing either or both keys from: %s", value.ShowResult(pair))
	}
	if key, ok = k.(string); !ok {
		return "", nil, mongoerr.New(40394, "$arrayToObject requires an object with keys 'k' and "+
			"'v', where the value of 'k' must be of type string. Found type: %s",
			value.TypeName(k))
	}
	return key, v, checkKey(4940401, key)
}

func checkKey(code int32, key string) error {
	if strings.Contains(key, "\x00") {
		return mongoerr.New(code, "Key field cannot contain an embedded null byte")
	}
	return nil
}
