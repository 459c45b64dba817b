package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// path is "$a.b", "$$ROOT.a" or "$$x": a start and the names below it.
type path struct {
	variable string // "" for $$CURRENT
	names    []string
}

// path compiles a string that begins with a dollar.
func (c *compiler) path(s string) (Expr, error) {
	variable, rest := "", s[1:]
	if strings.HasPrefix(s, "$$") {
		var dotted bool
		variable, rest, dotted = strings.Cut(s[2:], ".")
		if !dotted {
			return path{variable: variable}, nil
		}
	}
	if variable == "CURRENT" {
		variable = ""
	}
	return path{variable: variable, names: strings.Split(rest, ".")}, nil
}

// Eval follows the names, through every element where it meets an array.
func (p path) Eval(v *Vars) (any, error) {
	from, err := p.start(v)
	if err != nil {
		return nil, err
	}
	return follow(from, p.names), nil
}

func (p path) start(v *Vars) (any, error) {
	switch p.variable {
	case "", "CURRENT":
		return v.start(), nil
	case "ROOT":
		return v.Root, nil
	case "NOW":
		return v.Now, nil
	case "CLUSTER_TIME":
		return v.ClusterTime, nil
	case "REMOVE":
		return value.Missing, nil
	}
	if val, ok := v.lookup(p.variable); ok {
		return val, nil
	}
	return nil, mongoerr.New(17276, "Use of undefined variable: %s", p.variable)
}

// follow returns what a path leads to. Below an array it collects what its documents have.
func follow(from any, names []string) any {
	if len(names) == 0 {
		return from
	}
	switch from := from.(type) {
	case bson.D:
		for i := range from {
			if from[i].Key == names[0] {
				return follow(from[i].Value, names[1:])
			}
		}
	case bson.A:
		return collect(from, names)
	}
	return value.Missing
}

func collect(from bson.A, names []string) any {
	found := bson.A{}
	for _, element := range from {
		switch element.(type) {
		case bson.D, bson.A:
			if val := follow(element, names); val != value.Missing {
				found = append(found, val)
			}
		}
	}
	return found
}
