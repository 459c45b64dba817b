package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// indexOf is $indexOfBytes and $indexOfCP: text, part, perhaps a start and an end.
func indexOf(name string, operands []any) (any, error) {
	if nullish(operands[0]) {
		return nil, nil
	}
	characters := name == "$indexOfCP"
	codes := []int32{40091, 40092}
	if characters {
		codes = []int32{40093, 40094}
	}
	text, ok := operands[0].(string)
	if !ok {
		return nil, mongoerr.New(codes[0], "%s requires a string as the first argument, found: %s",
			name, value.TypeName(operands[0]))
	}
	part, ok := operands[1].(string)
	if !ok {
		return nil, mongoerr.New(codes[1], "%s requires a string as the second argument, found: %s",
			name, value.TypeName(operands[1]))
	}
	size := len(text)
	if characters {
		size = len([]rune(text))
	}
	from, to, err := window(name, operands[2:], size)
	if err != nil {
		return nil, err
	}
	if from > to || from > size {
		return int32(-1), nil
	}
	if characters {
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
func window(name string, operands []any, size int) (from, to int, err error) {
	to = size
	if len(operands) > 0 {
		if from, err = bound(name, "starting", operands[0]); err != nil {
			return 0, 0, err
		}
	}
	if len(operands) > 1 {
		if to, err = bound(name, "ending", operands[1]); err != nil {
			return 0, 0, err
		}
	}
	return from, min(to, size), nil
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

// indexOfArray searches for an element; a missing one is equal to nothing.
func indexOfArray(operands []any) (any, error) {
	if nullish(operands[0]) {
		return nil, nil
	}
	list, ok := operands[0].(bson.A)
	if !ok {
		return nil, mongoerr.New(40090, "$indexOfArray requires an array as a first argument, "+
			"found: %s", value.TypeName(operands[0]))
	}
	from, to, err := window("$indexOfArray", operands[2:], len(list))
	if err != nil {
		return nil, err
	}
	for i := from; i < to; i++ {
		if value.Equal(list[i], operands[1]) {
			return int32(i), nil
		}
	}
	return int32(-1), nil
}
