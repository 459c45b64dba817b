package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// path is "$a.b", "$$ROOT.a" or "$$x": a start and the names below it.
type path struct {
	variable string
	names    []string
}

// path compiles a string that begins with a dollar.
func (c *compiler) path(s string) (Expr, error) {
	p, rest, dotted := path{variable: "CURRENT"}, s[1:], true
	switch {
	case s == "$":
		return nil, mongoerr.New(16872, "'$' by itself is not a valid FieldPath")
	case strings.HasPrefix(s, "$$"):
		p.variable, rest, dotted = strings.Cut(s[2:], ".")
		if err := c.checkVariable(p.variable); err != nil {
			return nil, err
		}
	}
	if dotted {
		if err := CheckPath(rest); err != nil {
			return nil, err
		}
		p.names = strings.Split(rest, ".")
	}
	if p.variable == "REMOVE" {
		return constant{value.Missing}, nil
	}
	return p, nil
}

// CheckPath says whether a string names a field, perhaps one below others.
func CheckPath(dotted string) error {
	if dotted == "" {
		return mongoerr.New(40352, "FieldPath cannot be constructed with empty string")
	}
	if strings.HasSuffix(dotted, ".") {
		return mongoerr.New(40353, "FieldPath must not end with a '.'.")
	}
	for name := range strings.SplitSeq(dotted, ".") {
		if err := checkField(name); err != nil {
			return err
		}
	}
	return nil
}

// checkField says whether a field can have a name.
func checkField(name string) error {
	const advice = "Consider using $getField or $setField."
	switch {
	case name == "":
		return mongoerr.New(15998, "FieldPath field names may not be empty strings.")
	case name[0] == '$':
		return mongoerr.New(16410, "FieldPath field names may not start with '$'. "+advice)
	case strings.Contains(name, "\x00"):
		return mongoerr.New(16411, "FieldPath field names may not contain '\x00'.")
	case strings.Contains(name, "."):
		return mongoerr.New(16412, "FieldPath field names may not contain '.'. "+advice)
	}
	return nil
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
	case "CURRENT":
		return v.start(), nil
	case "ROOT":
		return v.Root, nil
	case "NOW":
		return v.Now, nil
	case "CLUSTER_TIME":
		return v.ClusterTime, nil
	case "DESCEND", "PRUNE", "KEEP":
		return strings.ToLower(p.variable), nil
	}
	if val, ok := v.lookup(p.variable); ok {
		return val, nil
	}
	return nil, undefined(p.variable)
}

// follow returns what a path leads to. Below an array it collects what its documents have.
func follow(from any, names []string) any {
	for i, name := range names {
		switch at := from.(type) {
		case bson.D:
			from = field(at, name)
		case bson.A:
			return collect(at, names[i:])
		default:
			return value.Missing
		}
	}
	return from
}

func field(d bson.D, name string) any {
	for i := range d {
		if d[i].Key == name {
			return d[i].Value
		}
	}
	return value.Missing
}

// collect does not look into arrays that are elements themselves.
func collect(from bson.A, names []string) any {
	found := bson.A{}
	for _, element := range from {
		if d, ok := element.(bson.D); ok {
			if val := follow(d, names); val != value.Missing {
				found = append(found, val)
			}
		}
	}
	return found
}
