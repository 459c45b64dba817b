package expr

import (
	"strings"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// texts has what is done with strings. Case is ASCII's, as on a server without a collation.
func texts(name string) reader {
	switch name {
	case "$concat":
		return associative(false, concat)
	case "$toLower":
		return cased(upper)
	case "$toUpper":
		return cased(lower)
	case "$strcasecmp":
		return dyadic(compareCases)
	case "$strLenCP":
		return unary(func(s any) (any, error) {
			return textLength(name, 34471, s, utf8.RuneCountInString)
		})
	case "$strLenBytes":
		return unary(func(s any) (any, error) {
			return textLength(name, 34473, s, func(s string) int { return len(s) })
		})
	case "$substrCP":
		return eager(3, 3, substringOfRunes)
	case "$substrBytes", "$substr":
		return eager(3, 3, substringOfBytes)
	case "$split":
		return strictBinary(split)
	case "$trim", "$ltrim", "$rtrim":
		return trimming
	case "$indexOfBytes", "$indexOfCP":
		return lazy(2, 4, func(v *Vars, operands []Expr) (any, error) {
			return indexOf(v, name, operands)
		})
	case "$replaceOne", "$replaceAll":
		return replacing
	}
	return nil
}

// concat stops at the first null.
func concat(v *Vars, operands []Expr) (any, error) {
	var text strings.Builder
	for _, operand := range operands {
		val, err := operand.Eval(v)
		if err != nil || nullish(val) {
			return nil, err
		}
		s, ok := val.(string)
		if !ok {
			return nil, mongoerr.New(16702, "$concat only supports strings, not %s",
				value.TypeName(val))
		}
		text.WriteString(s)
	}
	return text.String(), nil
}

// coerceText makes a string of what the string operators take for one. Null is the empty string.
func coerceText(val any) (string, error) {
	switch s := val.(type) {
	case string:
		return s, nil
	case bson.Symbol:
		return string(s), nil
	case bson.JavaScript:
		return string(s), nil
	case int32, int64, float64, bson.Decimal128:
		return value.ShowResult(s), nil
	case bson.DateTime:
		return isoDate(s)
	case bson.Timestamp:
		return showTimestamp(s), nil
	case nil, value.MissingType, bson.Undefined:
		return "", nil
	}
	return "", mongoerr.New(16007, "can't convert from BSON type %s to String",
		value.TypeName(val))
}

// cased moves ASCII letters of one case to the other.
func cased(from func(c byte) bool) reader {
	return unary(func(operand any) (any, error) {
		s, err := coerceText(operand)
		if err != nil {
			return nil, err
		}
		return swapCase(s, from), nil
	})
}

func swapCase(s string, from func(c byte) bool) string {
	text := []byte(s)
	for i, c := range text {
		if from(c) {
			text[i] = c ^ ' '
		}
	}
	return string(text)
}

func compareCases(a, b any) (any, error) {
	x, err := coerceText(a)
	if err != nil {
		return nil, err
	}
	y, err := coerceText(b)
	if err != nil {
		return nil, err
	}
	return int32(strings.Compare(swapCase(x, lower), swapCase(y, lower))), nil
}

func textLength(name string, code int32, val any, length func(s string) int) (any, error) {
	s, ok := val.(string)
	if !ok {
		return nil, mongoerr.New(code, "%s requires a string argument, found: %s", name,
			value.TypeName(val))
	}
	return int32(length(s)), nil
}

func split(text, separator any) (any, error) {
	s, ok := text.(string)
	if !ok {
		return nil, mongoerr.New(40085, "$split requires an expression that evaluates to a string "+
			"as a first argument, found: %s", value.TypeName(text))
	}
	sep, ok := separator.(string)
	if !ok {
		return nil, mongoerr.New(40086, "$split requires an expression that evaluates to a string "+
			"as a second argument, found: %s", value.TypeName(separator))
	}
	if sep == "" {
		return nil, mongoerr.New(40087, "$split requires a non-empty separator")
	}
	parts := bson.A{}
	for part := range strings.SplitSeq(s, sep) {
		parts = append(parts, part)
	}
	return parts, nil
}
