package storage

import (
	"strings"

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
		{Key: "details", Value: failureDetails(filter, doc)},
	}}}
	return failure
}

// failureDetails explains a validator with one comparison of a field as a server does. Of others
// it tells the validator only.
func failureDetails(filter, doc bson.D) bson.D {
	details := bson.D{{Key: "specifiedAs", Value: filter}}
	if len(filter) != 1 || strings.HasPrefix(filter[0].Key, "$") {
		return details
	}
	operator, condition := "$eq", filter[0].Value
	if d, ok := condition.(bson.D); ok {
		if len(d) != 1 || !strings.HasPrefix(d[0].Key, "$") {
			return details
		}
		operator = d[0].Key
	}
	considered := value.Lookup(doc, strings.Split(filter[0].Key, ".")...)
	switch operator {
	case "$eq", "$gt", "$gte", "$lt", "$lte":
	default:
		return details
	}
	details = append(bson.D{{Key: "operatorName", Value: operator}}, details...)
	if considered == value.Missing {
		return append(details, bson.E{Key: "reason", Value: "field was missing"})
	}
	return append(details, bson.E{Key: "reason", Value: "comparison failed"},
		bson.E{Key: "consideredValue", Value: considered})
}
