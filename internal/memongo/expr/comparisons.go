package expr

import "github.com/fwgen/fwgen/internal/memongo/value"

// comparisons are by BSON's order, across types.
func comparisons(name string) reader {
	switch name {
	case "$cmp":
		return dyadic(func(a, b any) (any, error) { return int32(value.Compare(a, b)), nil })
	case "$eq":
		return compared(func(order int) bool { return order == 0 })
	case "$ne":
		return compared(func(order int) bool { return order != 0 })
	case "$gt":
		return compared(func(order int) bool { return order > 0 })
	case "$gte":
		return compared(func(order int) bool { return order >= 0 })
	case "$lt":
		return compared(func(order int) bool { return order < 0 })
	case "$lte":
		return compared(func(order int) bool { return order <= 0 })
	}
	return nil
}

func compared(holds func(order int) bool) reader {
	return dyadic(func(a, b any) (any, error) { return holds(value.Compare(a, b)), nil })
}
