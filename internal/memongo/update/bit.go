package update

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// bit is $bit: one bitwise operation after the other.
type bit struct{ steps []bitStep }

type bitStep struct {
	compute func(a, b int64) int64
	with    any
}

func parseBit(arg any) (operator, error) {
	spec, ok := arg.(bson.D)
	if !ok {
		return nil, mongoerr.New(mongoerr.BadValue, "The $bit modifier is not compatible with a "+
			"%s. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}",
			value.TypeName(arg))
	}
	if len(spec) == 0 {
		return nil, mongoerr.New(mongoerr.BadValue, "You must pass in at least one bitwise "+
			"operation. The format is: {$bit: {field: {and/or/xor: #}}")
	}
	var o bit
	for _, field := range spec {
		step, err := parseBitStep(field)
		if err != nil {
			return nil, err
		}
		o.steps = append(o.steps, step)
	}
	return o, nil
}

func parseBitStep(field bson.E) (step bitStep, err error) {
	step.with = field.Value
	switch field.Key {
	case "and":
		step.compute = func(a, b int64) int64 { return a & b }
	case "or":
		step.compute = func(a, b int64) int64 { return a | b }
	case "xor":
		step.compute = func(a, b int64) int64 { return a ^ b }
	default:
		return step, mongoerr.New(mongoerr.BadValue, "The $bit modifier only supports 'and', "+
			"'or', and 'xor', not '%s' which is an unknown operator: {%s: %s}",
			field.Key, field.Key, value.Show(field.Value))
	}
	if _, ok := value.Whole(field.Value); !ok {
		return step, mongoerr.New(mongoerr.BadValue, "The $bit modifier field must be an "+
			"Integer(32/64 bit); a '%s' is not supported here: {%s: %s}",
			value.TypeName(field.Value), field.Key, value.Show(field.Value))
	}
	return step, nil
}

func (o bit) update(s site, old any) (any, effect, error) {
	if _, ok := value.Whole(old); !ok {
		return nil, nothing, mongoerr.New(mongoerr.BadValue, "Cannot apply $bit to a value of "+
			"non-integral type.%s has the field %s of non-integer type %s",
			s.id("", ""), s.at.element.name, value.TypeName(old))
	}
	return changedTo(old, o.on(old))
}

func (o bit) create(site) any { return o.on(int32(0)) }

// on applies the steps to an integer. The result is a long where one of two operands is.
func (o bit) on(v any) any {
	for _, step := range o.steps {
		a, _ := value.Whole(v)
		b, _ := value.Whole(step.with)
		result := step.compute(a, b)
		_, left := v.(int32)
		_, right := step.with.(int32)
		if v = any(result); left && right {
			v = int32(result)
		}
	}
	return v
}
