package expr

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// several is a $firstN, $lastN, $maxN or $minN.
type several struct {
	name     string
	n, input Expr
}

func severalOf(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(5787801, "specification must be an object; found %s: %s", name,
			value.Show(argument))
	}
	o, err := c.named(d, "n", "input")
	switch {
	case err != nil:
		return nil, err
	case o.unknown != "":
		return nil, mongoerr.New(5787901, "Unknown argument for 'n' operator: %s", o.unknown)
	case !o.has("n"):
		return nil, mongoerr.New(5787906, "Missing value for 'n'")
	case !o.has("input"):
		return nil, mongoerr.New(5787907, "Missing value for 'input'")
	}
	return several{name, o.get("n"), o.get("input")}, nil
}

func (s several) Eval(v *Vars) (any, error) {
	values, err := evalAll(v, []Expr{s.n, s.input})
	if err != nil {
		return nil, err
	}
	n, err := howMany(values[0])
	if err != nil {
		return nil, err
	}
	elements, ok := values[1].(bson.A)
	if !ok {
		return nil, mongoerr.New(5788200, "Input must be an array")
	}
	return s.pick(elements, n), nil
}

func howMany(val any) (int, error) {
	n, ok := value.Int64(val)
	switch {
	case !value.IsNumber(val):
		return 0, mongoerr.New(5787902, "Value for 'n' must be of integral type, but found %s",
			value.ShowResult(val))
	case !ok:
		return 0, mongoerr.New(5787903, "Value for 'n' must be of integral type, but found %s",
			value.ShowResult(val))
	case n <= 0:
		return 0, mongoerr.New(5787908, "'n' must be greater than 0, found %d", n)
	}
	return int(n), nil
}

// pick returns up to n elements; null is no maximum and no minimum.
func (s several) pick(elements bson.A, n int) bson.A {
	n = min(n, len(elements))
	switch s.name {
	case "$firstN":
		return append(bson.A{}, elements[:n]...)
	case "$lastN":
		return append(bson.A{}, elements[len(elements)-n:]...)
	}
	direction := 1
	if s.name == "$maxN" {
		direction = -1
	}
	ordered := slices.DeleteFunc(append(bson.A{}, elements...), nullish)
	slices.SortStableFunc(ordered, func(a, b any) int { return direction * value.Compare(a, b) })
	return ordered[:min(n, len(ordered))]
}
