package pipeline

import (
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// facets runs several pipelines over the same documents.
func (c *compiler) facets(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if !ok || len(d) == 0 {
		return nil, mongoerr.New(40169, "the $facet specification must be a non-empty object, but "+
			"found: $facet: %s", value.Show(spec))
	}
	inner := *c
	inner.facet = true
	pipelines := make([]*Pipeline, len(d))
	var constant error
	for i, field := range d {
		list, ok := field.Value.(bson.A)
		if !ok {
			return nil, mongoerr.New(40170, "arguments to $facet must be arrays, %s is type %s",
				field.Key, value.TypeName(field.Value))
		}
		if err := checkFacet(field.Key); err != nil {
			return nil, err
		}
		p, err := inner.pipeline(list)
		if err != nil && p == nil {
			return nil, err
		}
		if err != nil && constant == nil {
			constant = asConstant(err)
		}
		pipelines[i] = p
	}
	return all(func(docs []bson.D, v *expr.Vars) ([]bson.D, error) {
		out := bson.D{}
		for i, p := range pipelines {
			list, err := facetOf(p, docs, v)
			if err != nil {
				return nil, err
			}
			out = append(out, bson.E{Key: d[i].Key, Value: list})
		}
		return []bson.D{out}, nil
	}), constant
}

func facetOf(p *Pipeline, docs []bson.D, v *expr.Vars) (bson.A, error) {
	found, err := collect(p.pass(each(docs), v))
	if err != nil {
		return nil, err
	}
	list := make(bson.A, len(found))
	for i, doc := range found {
		list[i] = doc
	}
	return list, nil
}

// asConstant makes the error of an inner pipeline's constants one of the stage that it is in.
func asConstant(err error) error {
	var known *mongoerr.Error
	if errors.As(err, &known) {
		return &expr.ConstantError{Cause: known}
	}
	return err
}

// checkFacet says whether a facet's name can be a field's.
func checkFacet(name string) error {
	if strings.Contains(name, ".") {
		return mongoerr.New(16412, "FieldPath field names may not contain '.'. Consider using "+
			"$getField or $setField.")
	}
	return expr.CheckPath(name)
}

func each(docs []bson.D) documents {
	return func(yield func(bson.D, error) bool) {
		for _, doc := range docs {
			if !yield(doc, nil) {
				return
			}
		}
	}
}
