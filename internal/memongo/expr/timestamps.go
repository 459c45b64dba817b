package expr

import (
	"math/rand/v2"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// timestamps has the parts of timestamps, and what else stands alone: hashes and random numbers.
func timestamps(name string) reader {
	switch name {
	case "$tsSecond":
		return timestampPart(name, 5687301, func(t bson.Timestamp) uint32 { return t.T })
	case "$tsIncrement":
		return timestampPart(name, 5687302, func(t bson.Timestamp) uint32 { return t.I })
	case "$toHashedIndexKey":
		return hashing
	case "$rand":
		return random
	}
	return nil
}

func timestampPart(name string, code int32, part func(bson.Timestamp) uint32) reader {
	return strictUnary(func(operand any) (any, error) {
		t, ok := operand.(bson.Timestamp)
		if !ok {
			return nil, mongoerr.New(code, " Argument to %s must be a timestamp, but is %s", name,
				value.TypeName(operand))
		}
		return int64(part(t)), nil
	})
}

// hashing takes its argument as it is: an array is no list of operands.
func hashing(c *compiler, name string, argument any) (Expr, error) {
	x, err := c.apart().compile(argument) // a server does not optimize what is inside
	if err != nil {
		return nil, err
	}
	run := func(v *Vars, operands []Expr) (any, error) {
		val, err := operands[0].Eval(v)
		if err != nil {
			return nil, err
		}
		return hashOf(val)
	}
	return call{name, []Expr{x}, run}, nil
}

// chance is a $rand.
type chance struct{}

func random(_ *compiler, _ string, argument any) (Expr, error) {
	switch argument := argument.(type) {
	case bson.D:
		if len(argument) == 0 {
			return chance{}, nil
		}
	case bson.A:
		if len(argument) == 0 {
			return chance{}, nil
		}
	default:
		return nil, mongoerr.New(10065, "invalid parameter: expected an object ($rand)")
	}
	return nil, mongoerr.New(3040501, "$rand does not currently accept arguments")
}

func (chance) Eval(*Vars) (any, error) { return rand.Float64(), nil }
