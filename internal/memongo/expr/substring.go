package expr

import (
	"math"
	"unicode/utf8"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// substringOfBytes is $substrBytes; a negative length means the rest.
func substringOfBytes(operands []any) (any, error) {
	s, err := coerceText(operands[0])
	if err != nil {
		return nil, err
	}
	const name = "$substrBytes:  "
	if widthOf(operands[1]) == notNumeric {
		return nil, mongoerr.New(16034, name+"starting index must be a numeric type (is BSON "+
			"type %s)", value.TypeName(operands[1]))
	}
	if widthOf(operands[2]) == notNumeric {
		return nil, mongoerr.New(16035, name+"length must be a numeric type (is BSON type %s)",
			value.TypeName(operands[2]))
	}
	from, err := coerceLong(operands[1])
	if err != nil {
		return nil, err
	}
	n, err := coerceLong(operands[2])
	if err != nil {
		return nil, err
	}
	if from < 0 {
		return nil, mongoerr.New(50752, name+"starting index must be non-negative (got: %d)", from)
	}
	return cutBytes(s, from, n)
}

func cutBytes(s string, from, n int64) (any, error) {
	const name = "$substrBytes:  "
	if from >= int64(len(s)) {
		return "", nil
	}
	if !utf8.RuneStart(s[from]) {
		return nil, mongoerr.New(28656,
			name+"Invalid range, starting index is a UTF-8 continuation byte.")
	}
	if n < 0 || n > int64(len(s))-from {
		n = int64(len(s)) - from
	}
	if to := from + n; to < int64(len(s)) && !utf8.RuneStart(s[to]) {
		return nil, mongoerr.New(28657,
			name+"Invalid range, ending index is in the middle of a UTF-8 character.")
	}
	return s[from : from+n], nil
}

// substringOfRunes is $substrCP.
func substringOfRunes(operands []any) (any, error) {
	s, err := coerceText(operands[0])
	if err != nil {
		return nil, err
	}
	if widthOf(operands[1]) == notNumeric {
		return nil, mongoerr.New(34450, "$substrCP: starting index must be a numeric type (is "+
			"BSON type %s)", value.TypeName(operands[1]))
	}
	from, ok := integer(operands[1])
	if !ok {
		return nil, mongoerr.New(34451, "$substrCP: starting index cannot be represented as a "+
			"32-bit integral value: %s", value.ShowResult(operands[1]))
	}
	if widthOf(operands[2]) == notNumeric {
		return nil, mongoerr.New(34452, "$substrCP: length must be a numeric type (is BSON type %s)",
			value.TypeName(operands[2]))
	}
	n, ok := integer(operands[2])
	switch {
	case !ok:
		return nil, mongoerr.New(34453, "$substrCP: length cannot be represented as a 32-bit "+
			"integral value: %s", value.ShowResult(operands[2]))
	case n < 0:
		return nil, mongoerr.New(34454, "$substrCP: length must be a nonnegative integer.")
	case from < 0:
		return nil, mongoerr.New(34455,
			"$substrCP: the starting index must be nonnegative integer.")
	}
	return cutRunes(s, int(from), int(n)), nil
}

func cutRunes(s string, from, n int) string {
	start := runeOffset(s, from)
	return s[start : start+runeOffset(s[start:], min(n, math.MaxInt32))]
}

// runeOffset returns where the n-th character begins, the end if there are not so many.
func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
