package decimal

import (
	"math/big"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Add returns a + b.
func Add(a, b bson.Decimal128) bson.Decimal128 {
	switch {
	case a.IsNaN() || b.IsNaN() || a.IsInf()*b.IsInf() < 0:
		return NaN()
	case a.IsInf() != 0:
		return a
	case b.IsInf() != 0:
		return b
	}
	x, y := align(open(a), open(b))
	sum := new(big.Int).Add(x.coef, y.coef)
	neg := sum.Sign() < 0 || sum.Sign() == 0 && x.neg && y.neg
	return finite{neg, sum, x.exp}.close()
}

// Sub returns a - b.
func Sub(a, b bson.Decimal128) bson.Decimal128 { return Add(a, Neg(b)) }

// Neg returns -a.
func Neg(a bson.Decimal128) bson.Decimal128 {
	if a.IsNaN() {
		return a
	}
	h, l := a.GetBytes()
	return bson.NewDecimal128(h^1<<63, l)
}

// Abs returns |a|.
func Abs(a bson.Decimal128) bson.Decimal128 {
	if Negative(a) {
		return Neg(a)
	}
	return a
}

// align gives both the smaller exponent.
func align(x, y finite) (finite, finite) {
	if x.exp > y.exp {
		y, x = align(y, x)
		return x, y
	}
	if gap := y.exp - x.exp; gap > 0 {
		y.coef, y.exp = new(big.Int).Mul(y.coef, pow10(gap)), x.exp
	}
	return x, y
}

// Mul returns a × b.
func Mul(a, b bson.Decimal128) bson.Decimal128 {
	neg := Negative(a) != Negative(b)
	if special(a) || special(b) {
		if a.IsNaN() || b.IsNaN() || Zero(a) || Zero(b) {
			return NaN()
		}
		return infinity(neg)
	}
	x, y := open(a), open(b)
	return finite{neg, new(big.Int).Mul(x.coef, y.coef), x.exp + y.exp}.close()
}

// Quo returns a ÷ b.
func Quo(a, b bson.Decimal128) bson.Decimal128 {
	neg := Negative(a) != Negative(b)
	switch {
	case a.IsNaN() || b.IsNaN() || a.IsInf() != 0 && b.IsInf() != 0 || Zero(a) && Zero(b):
		return NaN()
	case a.IsInf() != 0 || Zero(b):
		return infinity(neg)
	case b.IsInf() != 0:
		return finite{neg, new(big.Int), minExponent}.close()
	}
	x, y := open(a), open(b)
	return divide(x, y, neg).close()
}

// divide returns a quotient with at least one digit more than the format holds.
func divide(x, y finite, neg bool) finite {
	wanted := x.exp - y.exp
	scale := max(0, digits+2+length(y.coef)-length(x.coef))
	numerator := new(big.Int).Mul(x.coef, pow10(scale))
	quo, rem := numerator.QuoRem(numerator, y.coef, new(big.Int))
	q := finite{neg, quo, wanted - scale}
	if rem.Sign() != 0 {
		return sticky(q)
	}
	return reduce(q, wanted)
}

// sticky appends a digit that stands for those that were lost, so that nothing ties.
func sticky(f finite) finite {
	step := int64(1)
	if f.neg {
		step = -1
	}
	coef := new(big.Int).Mul(f.coef, big.NewInt(10))
	return finite{f.neg, coef.Add(coef, big.NewInt(step)), f.exp - 1}
}

// reduce drops trailing zeros until the exponent is the wanted one.
func reduce(f finite, wanted int) finite {
	if f.coef.Sign() == 0 {
		return finite{f.neg, f.coef, wanted}
	}
	ten := big.NewInt(10)
	for f.exp < wanted {
		quo, rem := new(big.Int).QuoRem(f.coef, ten, new(big.Int))
		if rem.Sign() != 0 {
			break
		}
		f.coef, f.exp = quo, f.exp+1
	}
	return f
}

// Rem returns what remains of a when b is taken off as often as it fits; it has a's sign.
func Rem(a, b bson.Decimal128) bson.Decimal128 {
	switch {
	case a.IsNaN() || b.IsNaN() || a.IsInf() != 0 || Zero(b):
		return NaN()
	case b.IsInf() != 0:
		return a
	}
	x, y := align(open(a), open(b))
	return finite{x.neg, new(big.Int).Rem(x.coef, y.coef), x.exp}.close()
}

// Sqrt returns the square root.
func Sqrt(a bson.Decimal128) bson.Decimal128 {
	switch {
	case a.IsNaN() || Zero(a) || a.IsInf() > 0:
		return a
	case Negative(a):
		return NaN()
	}
	x := open(a)
	scale := max(0, 2*digits+4-length(x.coef))
	scale += (x.exp - scale) & 1
	radicand := new(big.Int).Mul(x.coef, pow10(scale))
	root := new(big.Int).Sqrt(radicand)
	r := finite{false, root, (x.exp - scale) / 2}
	if new(big.Int).Mul(root, root).Cmp(radicand) != 0 {
		return sticky(r).close()
	}
	return reduce(r, floorHalf(x.exp)).close()
}

func floorHalf(n int) int { return (n - n&1) / 2 }
