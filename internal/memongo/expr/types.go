package expr

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// types has what asks for a value's type, and what changes it.
func types(name string) reader {
	switch name {
	case "$type":
		return unary(func(operand any) (any, error) { return value.TypeName(operand), nil })
	case "$isNumber":
		return unary(func(operand any) (any, error) { return value.IsNumber(operand), nil })
	case "$isArray":
		return unary(func(operand any) (any, error) {
			_, ok := operand.(bson.A)
			return ok, nil
		})
	case "$bsonSize":
		return strictUnary(bsonSize)
	case "$convert":
		return converting
	}
	if to := shorthandType(name); to != "" {
		return shorthand(to)
	}
	return nil
}

// shorthandType returns what an operator that converts to one type converts to.
func shorthandType(name string) string {
	switch name {
	case "$toBool":
		return "bool"
	case "$toInt":
		return "int"
	case "$toLong":
		return "long"
	case "$toDouble":
		return "double"
	case "$toDecimal":
		return "decimal"
	case "$toString":
		return "string"
	case "$toDate":
		return "date"
	case "$toObjectId":
		return "objectId"
	}
	return ""
}

func bsonSize(operand any) (any, error) {
	d, ok := operand.(bson.D)
	if !ok {
		return nil, mongoerr.New(31393, "$bsonSize requires a document input, found: %s",
			value.TypeName(operand))
	}
	return int32(value.Size(d)), nil
}

func shorthand(to string) reader {
	return func(c *compiler, name string, argument any) (Expr, error) {
		if list, ok := argument.(bson.A); ok {
			if len(list) != 1 {
				if _, err := c.compileAll(list); err != nil {
					return nil, err
				}
				return nil, mongoerr.New(50723, "%s requires a single argument, got %d", name,
					len(list))
			}
			argument = list[0]
		}
		input, err := c.compile(argument)
		if err != nil {
			return nil, err
		}
		return c.fold(conversion{input: input, to: constant{to}}, input), nil
	}
}

// conversion is a $convert.
type conversion struct{ input, to, onError, onNull Expr }

func converting(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(mongoerr.FailedToParse,
			"$convert expects an object of named arguments but found: %s",
			value.TypeName(argument))
	}
	n, err := c.named(d, "input", "to", "onError", "onNull")
	if err != nil {
		return nil, err
	}
	if n.unknown != "" {
		return nil, mongoerr.New(mongoerr.FailedToParse, "%s found an unknown argument: %s", name,
			n.unknown)
	}
	if missing := n.missing("input", "to"); missing != "" {
		return nil, mongoerr.New(mongoerr.FailedToParse, "Missing '%s' parameter to $convert",
			missing)
	}
	operands := n.list("input", "to", "onError", "onNull")
	return c.fold(conversion{operands[0], operands[1], operands[2], operands[3]}, operands...), nil
}

func (x conversion) Eval(v *Vars) (any, error) {
	to, err := x.to.Eval(v)
	if err != nil {
		return nil, err
	}
	input, err := x.input.Eval(v)
	if err != nil {
		return nil, err
	}
	if nullish(input) {
		if x.onNull != nil {
			return x.onNull.Eval(v)
		}
		return nil, nil
	}
	if nullish(to) {
		return nil, nil
	}
	target, err := targetType(to)
	if err != nil {
		return nil, err
	}
	result, err := convert(input, target)
	if err != nil && x.onError != nil && mongoerr.Is(err, mongoerr.ConversionFailure) {
		return x.onError.Eval(v)
	}
	return result, err
}

// targetType reads $convert's to: a type's name or number.
func targetType(to any) (string, error) {
	if name, ok := to.(string); ok {
		for _, known := range typeNames() {
			if known == name {
				return name, nil
			}
		}
		return "", mongoerr.New(mongoerr.BadValue, "Unknown type name: %s", name)
	}
	if !value.IsNumber(to) {
		return "", mongoerr.New(mongoerr.FailedToParse,
			"$convert's 'to' argument must be a string or number, but is %s", value.TypeName(to))
	}
	code, ok := integer(to)
	if !ok {
		return "", mongoerr.New(mongoerr.FailedToParse,
			"In $convert, numeric 'to' argument is not an integer")
	}
	if name, ok := typeNames()[code]; ok {
		return name, nil
	}
	return "", mongoerr.New(mongoerr.FailedToParse,
		"In $convert, numeric value for 'to' does not correspond to a BSON type: %d", code)
}

func typeNames() map[int32]string {
	return map[int32]string{
		0: "missing", 1: "double", 2: "string", 3: "object", 4: "array", 5: "binData",
		6: "undefined", 7: "objectId", 8: "bool", 9: "date", 10: "null", 11: "regex",
		12: "dbPointer", 13: "javascript", 14: "symbol", 15: "javascriptWithScope", 16: "int",
		17: "timestamp", 18: "long", 19: "decimal", -1: "minKey", 127: "maxKey",
	}
}
