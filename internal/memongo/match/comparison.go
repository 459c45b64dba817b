package match

import (
	"math"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// comparison is $eq, $lt, $lte, $gt or $gte. The other two are negations.
type comparison struct {
	with  any
	order rank // which of the five
}

func (t comparison) rank() rank { return t.order }

// holds compares within a bracket only, as {$gt: 5} is about numbers. MinKey and MaxKey are
// compared with everything.
func (t comparison) holds(_ *state, v any) bool {
	left, right := value.BracketOf(v), value.BracketOf(t.with)
	switch {
	case left == value.Absent && right == value.Nulls:
		return t.accepts(0)
	case left != right && right != value.MinKeys && right != value.MaxKeys:
		return false
	case left == right && (isNaN(v) || isNaN(t.with)):
		return isNaN(v) && isNaN(t.with) && t.accepts(0)
	}
	return t.accepts(value.Compare(v, t.with))
}

// accepts reports whether the operator is true of a value in that order to the operand.
func (t comparison) accepts(order int) bool {
	switch t.order {
	case rankLT:
		return order < 0
	case rankLTE:
		return order <= 0
	case rankGT:
		return order > 0
	case rankGTE:
		return order >= 0
	}
	return order == 0
}

func isNaN(v any) bool {
	switch v := v.(type) {
	case float64:
		return math.IsNaN(v)
	case bson.Decimal128:
		return v.IsNaN()
	}
	return false
}

// in is $in with values, in order and each of them once, and patterns.
type in struct {
	values   []any
	patterns []pattern
}

func newIn(values []any, patterns []pattern) in {
	values = slices.Clone(values)
	slices.SortStableFunc(values, value.Compare)
	return in{slices.CompactFunc(values, value.Equal), patterns}
}

func (t in) rank() rank { return rankIn }

func (t in) holds(s *state, v any) bool {
	if value.BracketOf(v) == value.Absent {
		v = nil
	}
	if _, found := slices.BinarySearchFunc(t.values, v, value.Compare); found {
		return true
	}
	return slices.ContainsFunc(t.patterns, func(p pattern) bool { return p.holds(s, v) })
}
