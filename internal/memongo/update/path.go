package update

import (
	"strconv"
	"strings"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// maxPadding is how many nulls an index beyond an array's end can add.
const maxPadding = 1_500_000

// maxComponents is how many components a path can have. A server counts them in a byte.
const maxComponents = 255

// position is the path component that stands for the array index that the filter matched.
const position = "$"

// path is where an operator works, in components.
type path []string

func (p path) String() string { return strings.Join(p, ".") }

// parsePath checks what a path is made of.
func parsePath(text string) (path, error) {
	if text == "" {
		return nil, mongoerr.New(mongoerr.EmptyFieldName, "An empty update path is not valid.")
	}
	p := path(strings.Split(text, "."))
	if len(p) > maxComponents {
		return nil, mongoerr.Unsupported("an update path of %d components", len(p))
	}
	positions := 0
	for _, part := range p {
		if part == "" {
			return nil, mongoerr.New(mongoerr.EmptyFieldName,
				"The update path '%s' contains an empty field name, which is not allowed.", text)
		}
		if part == position {
			positions++
		}
	}
	if p[0] == position {
		return nil, mongoerr.New(mongoerr.BadValue, "Cannot have positional (i.e. '$') element "+
			"in the first position in path '%s'", p)
	}
	if positions > 1 {
		return nil, mongoerr.New(mongoerr.BadValue,
			"Too many positional (i.e. '$') elements found in path '%s'", p)
	}
	return p, nil
}

// checkFirst says whether the path begins with a name.
func (p path) checkFirst() error {
	if _, ok := arrayFilter(p[0]); ok {
		return mongoerr.New(mongoerr.BadValue, "Cannot have array filter identifier "+
			"(i.e. '$[<id>]') element in the first position in path '%s'", p)
	}
	return nil
}

// dynamic reports whether documents decide where the path leads.
func (p path) dynamic() bool {
	for _, part := range p {
		if _, ok := arrayFilter(part); ok || part == position {
			return true
		}
	}
	return false
}

// startsWith reports whether the path is another one or leads below it.
func (p path) startsWith(other path) bool {
	if len(p) < len(other) {
		return false
	}
	for i := range other {
		if p[i] != other[i] {
			return false
		}
	}
	return true
}

// with returns a path that is one component longer. It shares nothing.
func (p path) with(part string) path {
	longer := make(path, len(p), len(p)+1)
	copy(longer, p)
	return append(longer, part)
}

// arrayFilter returns the identifier of $[identifier], which is empty in $[].
func arrayFilter(part string) (identifier string, ok bool) {
	inner, ok := strings.CutPrefix(part, "$[")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, "]")
}

// arrayIndex returns which array element a component names, if it can name one.
func arrayIndex(part string) (int, bool) {
	for _, c := range []byte(part) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	index, err := strconv.ParseUint(part, 10, 31)
	return int(index), err == nil
}

// compareParts orders components as operators are applied: numbers by value, others as text.
func compareParts(a, b string) int {
	if isNumber(a) && isNumber(b) && len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// isNumber reports whether a component is a number without leading zeros.
func isNumber(part string) bool {
	_, ok := arrayIndex(part)
	return ok && (part == "0" || part[0] != '0')
}
