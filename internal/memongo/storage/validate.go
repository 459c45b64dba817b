package storage

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// validate checks a document that is to come in the place of an old one, nil for an insertion.
func (d *draft) validate(c *collection, old, doc bson.D) error {
	rules := c.definition
	if rules.validator == nil || rules.lenient || d.write.BypassValidation {
		return nil
	}
	vars := &expr.Vars{Now: d.engine.clock.wall(), ClusterTime: d.base.at}
	if ok, err := rules.validator.Match(doc, vars); err != nil || ok {
		return err
	}
	if rules.moderate && old != nil {
		if ok, err := rules.validator.Match(old, vars); err != nil || !ok {
			return err
		}
	}
	failure := mongoerr.New(mongoerr.DocumentValidationFailure, "Document failed validation")
	id, _ := value.Get(doc, "_id")
	filter, _ := value.Lookup(rules.options, "validator").(bson.D)
	failure.Fields = bson.D{{Key: "errInfo", Value: bson.D{
		{Key: "failingDocumentId", Value: id},
		{Key: "details", Value: explain(filter, doc, vars)},
	}}}
	return failure
}
