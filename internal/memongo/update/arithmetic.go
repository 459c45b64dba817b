package update

import (
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// arithmetic is $inc and $mul.
type arithmetic struct {
	name    string
	by      any
	compute func(a, b any) (any, error)
	absent  func(by any) any // what a missing field becomes
}

func parseInc(field string, arg any) (operator, error) {
	if !value.IsNumber(arg) {
		return nil, mongoerr.New(mongoerr.TypeMismatch,
			"Cannot increment with non-numeric argument: {%s: %s}", field, value.Show(arg))
	}
	return arithmetic{"$inc", arg, value.Add, func(by any) any { return by }}, nil
}

func parseMul(field string, arg any) (operator, error) {
	if !value.IsNumber(arg) {
		return nil, mongoerr.New(mongoerr.TypeMismatch,
			"Cannot multiply with non-numeric argument: {%s: %s}", field, value.Show(arg))
	}
	return arithmetic{"$mul", arg, value.Mul, func(by any) any {
		product, _ := value.Mul(int32(0), by) // numbers both
		return product
	}}, nil
}

func (o arithmetic) update(s site, old any) (any, effect, error) {
	v, err := o.compute(old, o.by)
	switch {
	case errors.Is(err, value.ErrNotNumeric):
		return nil, nothing, mongoerr.New(mongoerr.TypeMismatch, "Cannot apply %s to a value of "+
			"non-numeric type. %s has the field '%s' of non-numeric type %s",
			o.name, s.id("{", "}"), s.at.element.name, value.TypeName(old))
	case err != nil:
		return nil, nothing, mongoerr.New(mongoerr.BadValue, "Failed to apply %s operations to "+
			"current value (%s) for document %s", o.name, shownNumber(old), s.id("{", "}"))
	case sameNumber(old, v):
		return old, nothing, nil
	}
	return v, changed, nil
}

func (o arithmetic) create(site) any { return o.absent(o.by) }

// sameNumber is the server's notion of an operation without effect: NaN is never the same, and
// 0 is the same as -0.
func sameNumber(old, v any) bool {
	notNumber := false
	switch v := v.(type) {
	case float64:
		notNumber = v != v
	case bson.Decimal128:
		notNumber = v.IsNaN()
	}
	return !notNumber && value.TypeCode(old) == value.TypeCode(v) && value.Equal(old, v)
}

// shownNumber prints a number with its type.
func shownNumber(v any) string {
	switch v.(type) {
	case int32:
		return fmt.Sprintf("(NumberInt)%d", v)
	case int64:
		return fmt.Sprintf("(NumberLong)%d", v)
	}
	return fmt.Sprintf("(NumberDouble)%v", v)
}

func lastOf(p path) string { return p[len(p)-1] }
