package match

import (
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// bitTest is $bitsAllSet and its kin: all or any of some bits are set or clear.
type bitTest struct {
	positions []int
	set, all  bool
}

func (t bitTest) rank() rank {
	switch {
	case t.all && t.set:
		return rankBitsAllSet
	case t.all:
		return rankBitsAllClear
	case t.set:
		return rankBitsAnySet
	}
	return rankBitsAnyClear
}

func (t bitTest) holds(_ *state, v any) bool {
	bit, ok := bitsOf(v)
	if !ok {
		return false
	}
	for _, position := range t.positions {
		if wanted := bit(position) == t.set; wanted != t.all {
			return wanted
		}
	}
	return t.all
}

// bitsOf returns what tells a value's bits: those of an integral number, which go on as its sign,
// and those of binary data, behind which there are zeros.
func bitsOf(v any) (bit func(position int) bool, ok bool) {
	switch v := v.(type) {
	case bson.Binary:
		return func(position int) bool {
			return position/8 < len(v.Data) && v.Data[position/8]>>(position%8)&1 == 1
		}, true
	case bson.Decimal128:
		return bitsOfWhole(roundDecimal(v)), true
	}
	i, ok := value.Int64(v)
	return bitsOfWhole(i), ok
}

func bitsOfWhole(i int64) func(position int) bool {
	return func(position int) bool { return i>>min(position, 63)&1 == 1 }
}

// roundDecimal is how the server looks at a decimal's bits: rounded, and what no int64 holds is
// the least of them.
func roundDecimal(d bson.Decimal128) int64 {
	if i, ok := value.Int64(decimal.Round(d, 0, decimal.HalfEven)); ok {
		return i
	}
	return math.MinInt64
}
