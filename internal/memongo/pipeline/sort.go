package pipeline

import (
	"math"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// SortOrder is the order of a $sort, or of find's sort.
type SortOrder struct {
	order   expr.Order
	reverse bool // {$natural: -1}
}

// CompileSort reads an order. An empty one, and {$natural: 1}, leave documents as they come.
func CompileSort(spec bson.D) (*SortOrder, error) {
	s := &SortOrder{}
	if natural, given := value.Get(spec, "$natural"); given {
		return s, s.readNatural(spec, natural)
	}
	for _, field := range spec {
		dir, err := direction(field)
		if err != nil {
			return nil, err
		}
		if err := expr.CheckPath(field.Key); err != nil {
			return nil, err
		}
		s.order.Add(field.Key, dir)
	}
	return s, nil
}

func (s *SortOrder) readNatural(spec bson.D, natural any) error {
	if len(spec) > 1 {
		return mongoerr.New(mongoerr.BadValue, "Cannot include '$natural' in compound sort: %s",
			value.Show(spec))
	}
	n, _ := value.Float64(natural)
	s.reverse = n < 0
	return nil
}

func direction(field bson.E) (int, error) {
	if d, ok := field.Value.(bson.D); ok {
		if len(d) != 1 || d[0].Key != "$meta" {
			return 0, mongoerr.New(17312, "$meta is the only expression supported by $sort right now")
		}
		return 0, mongoerr.Unsupported("a sort by $meta")
	}
	if !value.IsNumber(field.Value) {
		return 0, mongoerr.New(15974, "Illegal key in $sort specification: %s: %s", field.Key,
			value.Show(field.Value))
	}
	f, _ := value.Float64(field.Value)
	switch math.Trunc(f) {
	case 1:
		return 1, nil
	case -1:
		return -1, nil
	}
	return 0, mongoerr.New(15975,
		"$sort key ordering must be 1 (for ascending) or -1 (for descending)")
}

// Sort orders documents; equal ones stay as they are. It is an error if two of the paths lead
// through different arrays of a document.
func (s *SortOrder) Sort(docs []bson.D) error {
	if s.reverse {
		slices.Reverse(docs)
	}
	_, err := expr.Sorted(&s.order, docs)
	return err
}

func sortStage(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	switch {
	case !ok:
		return nil, mongoerr.New(15973, "the $sort key specification must be an object")
	case len(d) == 0:
		return nil, mongoerr.New(15976, "$sort stage must have at least one sort key")
	}
	if _, natural := value.Get(d, "$natural"); natural {
		return nil, expr.CheckPath("$natural")
	}
	order, err := CompileSort(d)
	if err != nil {
		return nil, err
	}
	return all(func(docs []bson.D, _ *expr.Vars) ([]bson.D, error) {
		return docs, order.Sort(docs)
	}), nil
}
