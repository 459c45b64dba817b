package expr

import (
	"math"
	"math/bits"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// arithmetic has the four operations and the remainder.
func arithmetic(name string) reader {
	switch name {
	case "$add":
		return associative(true, add)
	case "$subtract":
		return strictBinary(subtract)
	case "$multiply":
		return associative(true, multiply)
	case "$divide":
		return strictBinary(divide)
	case "$mod":
		return strictBinary(remainder)
	}
	return nil
}

// add stops at the first null. One operand can be a date, to which the others are milliseconds.
func add(v *Vars, operands []Expr) (any, error) {
	var sum Sum
	dated := false
	for _, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil || nullish(val) {
			return nil, err
		}
		if d, ok := val.(bson.DateTime); ok {
			if dated {
				return nil, mongoerr.New(16612, "only one date allowed in an $add expression")
			}
			dated, val = true, int64(d)
		}
		if !sum.Add(val) {
			return nil, mongoerr.New(16554, "$add only supports numeric or date types, not %s",
				value.TypeName(val))
		}
	}
	if !dated {
		return sum.Result(), nil
	}
	ms, ok := sum.milliseconds()
	if !ok {
		return nil, mongoerr.New(mongoerr.Overflow, "date overflow in $add")
	}
	return bson.DateTime(ms), nil
}

func addWhole(a, b int64) (sum int64, overflow bool) {
	sum = a + b
	return sum, (sum > a) != (b > 0)
}

func subtract(a, b any) (any, error) {
	w := max(widthOf(a), widthOf(b))
	date, isDate := a.(bson.DateTime)
	switch {
	case isDate:
		return subtractFromDate(date, b)
	case widthOf(a) == notNumeric || widthOf(b) == notNumeric:
		return nil, mongoerr.New(mongoerr.TypeMismatch, "can't $subtract %s from %s",
			value.TypeName(b), value.TypeName(a))
	case w == decimals:
		return decimal.Sub(dec(a), dec(b)), nil
	case w == doubles:
		return float(a) - float(b), nil
	}
	x, y := whole(a), whole(b)
	difference := x - y
	if (difference < x) != (y > 0) {
		return float(a) - float(b), nil
	}
	return narrow(difference, w), nil
}

func subtractFromDate(date bson.DateTime, b any) (any, error) {
	if other, ok := b.(bson.DateTime); ok {
		difference := int64(date - other)
		if (difference < int64(date)) != (other > 0) {
			return nil, mongoerr.New(159, "Overflow while subtracting dates")
		}
		return difference, nil
	}
	if widthOf(b) == notNumeric {
		return nil, mongoerr.New(mongoerr.TypeMismatch, "can't $subtract %s from Date",
			value.TypeName(b))
	}
	ms, err := coerceLong(b)
	if err != nil {
		return nil, err
	}
	difference, overflow := addWhole(int64(date), -ms)
	if overflow || ms == math.MinInt64 {
		return nil, mongoerr.New(159, "Overflow while adding %dms to %dms", -ms,
			difference)
	}
	return bson.DateTime(difference), nil
}

// product multiplies in all types at once; the widest operand says which counts.
type product struct {
	width    width
	long     int64
	double   float64
	decimals bson.Decimal128
}

func multiply(v *Vars, operands []Expr) (any, error) {
	p := product{width: ints, long: 1, double: 1}
	for _, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil || nullish(val) {
			return nil, err
		}
		if widthOf(val) == notNumeric {
			return nil, mongoerr.New(mongoerr.TypeMismatch,
				"$multiply only supports numeric types, not %s", value.TypeName(val))
		}
		p.times(val)
	}
	switch p.width {
	case decimals:
		return p.decimals, nil
	case doubles:
		return p.double, nil
	}
	return narrow(p.long, p.width), nil
}

func (p *product) times(val any) {
	before := p.width
	p.width = max(p.width, widthOf(val))
	if p.width == decimals {
		if before != decimals {
			p.decimals = p.soFar(before)
		}
		p.decimals = decimal.Mul(p.decimals, dec(val))
		return
	}
	p.double *= float(val)
	if p.width != doubles {
		long, overflow := multiplyWhole(p.long, whole(val))
		if p.long = long; overflow {
			p.width = doubles
		}
	}
}

func (p *product) soFar(w width) bson.Decimal128 {
	if w == doubles {
		return decimal.FromFloat64(p.double)
	}
	return decimal.FromInt64(p.long)
}

func multiplyWhole(a, b int64) (product int64, overflow bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	signed := int64(high) - a>>63&b - b>>63&a // from the unsigned product to the signed one
	return int64(low), signed != int64(low)>>63
}

func divide(a, b any) (any, error) {
	if widthOf(a) == notNumeric || widthOf(b) == notNumeric {
		return nil, mongoerr.New(mongoerr.TypeMismatch,
			"$divide only supports numeric types, not %s and %s", value.TypeName(a),
			value.TypeName(b))
	}
	if value.Equal(b, int32(0)) {
		return nil, mongoerr.New(mongoerr.BadValue, "can't $divide by zero")
	}
	if max(widthOf(a), widthOf(b)) == decimals {
		return decimal.Quo(dec(a), dec(b)), nil
	}
	return float(a) / float(b), nil
}

// remainder takes a double without a fraction for an integer where it divides one.
func remainder(a, b any) (any, error) {
	w := max(widthOf(a), widthOf(b))
	if widthOf(a) == notNumeric || widthOf(b) == notNumeric {
		return nil, mongoerr.New(16611, "$mod only supports numeric types, not %s and %s",
			value.TypeName(a), value.TypeName(b))
	}
	if value.Equal(b, int32(0)) {
		code := int32(16610)
		if w == decimals {
			code = 5733415
		}
		return nil, mongoerr.New(code, "can't $mod by zero")
	}
	divisor, integral := integer(b)
	switch {
	case w == decimals:
		return decimal.Rem(dec(a), dec(b)), nil
	case widthOf(a) == doubles || widthOf(b) == doubles && !integral:
		return math.Mod(float(a), float(b)), nil
	case widthOf(b) == doubles:
		return narrow(whole(a)%int64(divisor), widthOf(a)), nil
	}
	return narrow(whole(a)%whole(b), w), nil
}
