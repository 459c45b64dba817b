package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// blanks are what $trim takes off unless it is told.
const blanks = "\x00 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007" +
	"\u2008\u2009\u200a"

// trimming reads $trim, $ltrim and $rtrim.
func trimming(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(50696, "%s only supports an object as an argument, found %s",
			name, value.TypeName(argument))
	}
	n, err := c.named(d, "input", "chars")
	switch {
	case err != nil:
		return nil, err
	case n.unknown != "":
		return nil, mongoerr.New(50694, "%s found an unknown argument: %s", name, n.unknown)
	case !n.has("input"):
		return nil, mongoerr.New(50695, "%s requires an 'input' field", name)
	}
	operands := n.list("input", "chars")
	return c.fold(call{name, operands, func(v *Vars, operands []Expr) (any, error) {
		input, err := operands[0].Eval(v)
		if err != nil || nullish(input) {
			return nil, err
		}
		text, ok := input.(string)
		if !ok {
			return nil, mongoerr.New(50699, "%s requires its input to be a string, got %s (of "+
				"type %s) instead.", name, value.ShowResult(input), value.TypeName(input))
		}
		chars, err := evalNamed(v, operands[1:], blanks)
		if err != nil || nullish(chars[0]) {
			return nil, err
		}
		return trim(name, text, chars[0])
	}}, operands...), nil
}

func trim(name, s string, characters any) (any, error) {
	chars, ok := characters.(string)
	if !ok {
		return nil, mongoerr.New(50700, "%s requires 'chars' to be a string, got %s (of type "+
			"%s) instead.", name, value.ShowResult(characters), value.TypeName(characters))
	}
	if name != "$rtrim" {
		s = strings.TrimLeft(s, chars)
	}
	if name != "$ltrim" {
		s = strings.TrimRight(s, chars)
	}
	return s, nil
}
