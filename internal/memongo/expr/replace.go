package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// replacement is $replaceOne and $replaceAll.
type replacement struct {
	name     string
	operands []Expr
}

func replacing(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(51751, "%s requires an object as an argument, found: %s", name,
			value.TypeName(argument))
	}
	n, err := c.named(d, "input", "find", "replacement")
	if err != nil {
		return nil, err
	}
	if n.unknown != "" {
		return nil, mongoerr.New(51750, "%s found an unknown argument: %s", name, n.unknown)
	}
	if missing := n.missing("input", "find", "replacement"); missing != "" {
		codes := map[string]int32{"input": 51749, "find": 51748, "replacement": 51747}
		return nil, mongoerr.New(codes[missing], "%s requires '%s' to be specified", name, missing)
	}
	return replacement{name, n.list("input", "find", "replacement")}, nil
}

func (r replacement) Eval(v *Vars) (any, error) {
	values, err := evalAll(v, r.operands)
	if err != nil {
		return nil, err
	}
	null := false
	texts := make([]string, len(values))
	for i, what := range []string{"input", "find", "replacement"} {
		text, ok := values[i].(string)
		if !ok && !nullish(values[i]) {
			return nil, mongoerr.New(51746-int32(i), "%s requires that '%s' be a string, found: %s",
				r.name, what, value.ShowResult(values[i]))
		}
		texts[i], null = text, null || !ok
	}
	if null {
		return nil, nil
	}
	limit := 1
	if r.name == "$replaceAll" {
		limit = -1
	}
	return strings.Replace(texts[0], texts[1], texts[2], limit), nil
}
