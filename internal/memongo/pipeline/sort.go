package pipeline

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// SortOrder is the order of a $sort, or of find's sort.
type SortOrder struct {
	paths      [][]string
	directions []int
	natural    int // 1 or -1 for $natural, 0 if there is none
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
		s.paths = append(s.paths, strings.Split(field.Key, "."))
		s.directions = append(s.directions, dir)
	}
	return s, nil
}

func (s *SortOrder) readNatural(spec bson.D, natural any) error {
	if len(spec) > 1 {
		return mongoerr.New(mongoerr.BadValue, "Cannot include '$natural' in compound sort: %s",
			value.Show(spec))
	}
	n, ok := value.Int64(natural)
	if !ok || n != 1 && n != -1 {
		return mongoerr.New(mongoerr.BadValue, "$natural sort cannot be set to a value other than "+
			"-1 or 1.")
	}
	s.natural = int(n)
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
	n, ok := value.Int64(field.Value)
	if !ok || n != 1 && n != -1 {
		return 0, mongoerr.New(15975,
			"$sort key ordering must be 1 (for ascending) or -1 (for descending)")
	}
	return int(n), nil
}

// keyed is a document with what it is sorted by.
type keyed struct {
	doc  bson.D
	keys []any
}

// Sort orders documents; equal ones stay as they are. It is an error if two of the paths lead
// through different arrays of a document.
func (s *SortOrder) Sort(docs []bson.D) error {
	if s.natural < 0 {
		slices.Reverse(docs)
	}
	if len(s.paths) == 0 {
		return nil
	}
	all := make([]keyed, len(docs))
	for i, doc := range docs {
		if s.parallel(doc) {
			return mongoerr.New(mongoerr.BadValue,
				"cannot sort with keys that are parallel arrays")
		}
		keys := make([]any, len(s.paths))
		for j, path := range s.paths {
			keys[j] = expr.SortKey(doc, path, s.directions[j])
		}
		all[i] = keyed{doc, keys}
	}
	slices.SortStableFunc(all, s.compare)
	for i := range all {
		docs[i] = all[i].doc
	}
	return nil
}

func (s *SortOrder) compare(a, b keyed) int {
	for i, direction := range s.directions {
		if c := value.Compare(a.keys[i], b.keys[i]); c != 0 {
			return c * direction
		}
	}
	return 0
}

// parallel reports whether the paths meet more than one array.
func (s *SortOrder) parallel(doc bson.D) bool {
	if len(s.paths) < 2 {
		return false
	}
	met := ""
	for _, path := range s.paths {
		at, ok := arrayOn(doc, path)
		if ok && met != "" && met != at {
			return true
		}
		if ok {
			met = at
		}
	}
	return false
}

// arrayOn returns the part of a path that leads to the first array on it.
func arrayOn(doc bson.D, path []string) (string, bool) {
	var at any = doc
	for i, name := range path {
		d, ok := at.(bson.D)
		if !ok {
			return "", false
		}
		at, _ = value.Get(d, name)
		if _, ok := at.(bson.A); ok {
			return strings.Join(path[:i+1], "."), true
		}
	}
	return "", false
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
