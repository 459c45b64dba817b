package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// indexOf is $indexOfBytes and $indexOfCP: text, part, perhaps a start and an end.
func indexOf(v *Vars, name string, operands []Expr) (any, error) {
	codes := []int32{40091, 40092}
	if name == "$indexOfCP" {
		codes = []int32{40093, 40094}
	}
	var texts [2]string
	for i, which := range []string{"first", "second"} {
		val, err := operands[i].Eval(v)
		if err != nil || i == 0 && nullish(val) {
			return nil, err
		}
		text, ok := val.(string)
		if !ok {
			return nil, mongoerr.New(codes[i], "%s requires a string as the %s argument, found: %s",
				name, which, value.TypeName(val))
		}
		texts[i] = text
	}
	text, part := texts[0], texts[1]
	size := len(text)
	if name == "$indexOfCP" {
		size = len([]rune(text))
	}
	from, to, err := window(v, name, operands[2:], size)
	if err != nil {
		return nil, err
	}
	if from > to || from > size {
		return int32(-1), nil
	}
	if name == "$indexOfCP" {
		return int32(runeIndex(text, part, from, to)), nil
	}
	return int32(byteIndex(text, part, from, to)), nil
}

func byteIndex(text, part string, from, to int) int {
	if at := strings.Index(text[from:to], part); at >= 0 {
		return from + at
	}
	return -1
}

func runeIndex(text, part string, from, to int) int {
	start := runeOffset(text, from)
	end := start + runeOffset(text[start:], to-from)
	at := byteIndex(text, part, start, end)
	if at < 0 {
		return -1
	}
	return from + len([]rune(text[start:at]))
}

// window reads where a search starts and ends; the end is not beyond the size.
func window(v *Vars, name string, operands []Expr, size int) (from, to int, err error) {
	limits := [2]int{0, size}
	for i, which := range []string{"starting", "ending"} {
		if i == len(operands) {
			break
		}
		val, err := operands[i].Eval(v)
		if err != nil {
			return 0, 0, err
		}
		if limits[i], err = bound(name, which, val); err != nil {
			return 0, 0, err
		}
	}
	return limits[0], min(limits[1], size), nil
}

func bound(name, which string, operand any) (int, error) {
	n, ok := integer(operand)
	if !ok {
		return 0, mongoerr.New(40096, "%srequires an integral %s index, found a value of type: "+
			"%s, with value: %s", name, which, value.TypeName(operand), value.ShowResult(operand))
	}
	if n < 0 {
		return 0, mongoerr.New(40097, "%s requires a nonnegative %s index, found: %d", name, which,
			n)
	}
	return int(n), nil
}

// indexOfArray reads $indexOfArray. A constant that has no elements is found first.
func indexOfArray(c *compiler, name string, argument any) (Expr, error) {
	x, err := lazy(2, 4, elementIndex)(c, name, argument)
	if all, ok := x.(call); ok && !c.asIs {
		list, ok := known(all.operands[0])
		if _, isArray := list.(bson.A); ok && !isArray && !nullish(list) {
			return c.fold(failing{mongoerr.New(50809, "First operand of $indexOfArray must be an "+
				"array. First argument is of type: %s", value.TypeName(list))}), err
		}
	}
	return x, err
}

// elementIndex searches for an element; a missing one is equal to nothing.
func elementIndex(v *Vars, operands []Expr) (any, error) {
	val, err := operands[0].Eval(v)
	if err != nil || nullish(val) {
		return nil, err
	}
	list, ok := val.(bson.A)
	if !ok {
		return nil, mongoerr.New(40090, "$indexOfArray requires an array as a first argument, "+
			"found: %s", value.TypeName(val))
	}
	wanted, err := operands[1].Eval(v)
	if err != nil {
		return nil, err
	}
	from, to, err := window(v, "$indexOfArray", operands[2:], len(list))
	if err != nil {
		return nil, err
	}
	for i := from; i < to; i++ {
		if value.Equal(list[i], wanted) {
			return int32(i), nil
		}
	}
	return int32(-1), nil
}
