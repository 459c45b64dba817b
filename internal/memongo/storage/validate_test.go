package storage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
)

func TestValidatorRefusesDocuments(t *testing.T) {
	t.Parallel()
	positive := d("x", d("$gt", 0))
	valid, invalid := doc("valid", "x", 1), doc("invalid", "x", 0)
	for _, tt := range []struct {
		name                       string
		level, action              string
		insert, ofValid, ofInvalid bool // whether insertions and updates are refused
	}{
		{name: "strict", insert: true, ofValid: true, ofInvalid: true},
		{name: "moderate", level: "moderate", insert: true, ofValid: true},
		{name: "off", level: "off"},
		{name: "warn", action: "warn"},
	} {
		e := start(t, storage.Options{})
		options := d("validator", positive)
		if tt.level != "" {
			options = append(options, d("validationLevel", tt.level)...)
		}
		if tt.action != "" {
			options = append(options, d("validationAction", tt.action)...)
		}
		wantNoError(t, e.Create(orders, options))
		bypass := e.Statement(storage.Write{BypassValidation: true})
		wantNoError(t, bypass.Insert(orders, valid))
		wantNoError(t, bypass.Insert(orders, invalid))
		for _, check := range []struct {
			what    string
			err     error
			refused bool
		}{
			{"insert", e.plain().Insert(orders, doc("n", "x", 0)), tt.insert},
			{"update of valid", set(e.plain(), "valid", "x", 0), tt.ofValid},
			{"update of invalid", set(e.plain(), "invalid", "y", 1), tt.ofInvalid},
			{"to valid", set(e.plain(), "invalid", "x", 1), false},
		} {
			if refused := mongoerr.Is(check.err, 121); refused != check.refused {
				t.Errorf("%s, %s: %v", tt.name, check.what, check.err)
			}
		}
	}
}

func TestFailedValidationIsToldAsByTheServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		validator, doc, details bson.D
	}{
		{d("x", d("$gt", 1)), doc(1, "x", 1), d("operatorName", "$gt",
			"specifiedAs", d("x", d("$gt", 1)), "reason", "comparison failed", "consideredValue", 1)},
		{d("x", "y"), doc(1, "x", 1), d("operatorName", "$eq", "specifiedAs", d("x", "y"),
			"reason", "comparison failed", "consideredValue", 1)},
		{d("x.y", d("$lt", 1)), doc(1), d("operatorName", "$lt",
			"specifiedAs", d("x.y", d("$lt", 1)), "reason", "field was missing")},
		{d("x", d("$gte", 1)), doc(1, "x", bson.A{int32(0)}), d("operatorName", "$gte",
			"specifiedAs", d("x", d("$gte", 1)), "reason", "comparison failed",
			"consideredValues", bson.A{int32(0)})},
		{d("x", d("$ne", 1)), doc(1, "x", 1), d("operatorName", "$ne",
			"specifiedAs", d("x", d("$ne", 1)), "reason", "comparison succeeded",
			"consideredValue", 1)},
		{d("x", d("$in", bson.A{"a"})), doc(1, "x", 1), d("operatorName", "$in",
			"specifiedAs", d("x", d("$in", bson.A{"a"})),
			"reason", "no matching value found in array", "consideredValue", 1)},
		{d("x", d("$exists", true)), doc(1), d("operatorName", "$exists",
			"specifiedAs", d("x", d("$exists", true)), "reason", "path does not exist")},
		{d("x", d("$type", "string")), doc(1, "x", 1), d("operatorName", "$type",
			"specifiedAs", d("x", d("$type", "string")), "reason", "type did not match",
			"consideredValue", 1, "consideredType", "int")},
		{d("$expr", d("$gt", bson.A{"$$NOW", "$x"})), doc(1, "x", bson.MaxKey{}),
			d("operatorName", "$expr", "specifiedAs", d("$expr", d("$gt", bson.A{"$$NOW", "$x"})),
				"reason", "expression did not match", "expressionResult", false)},
		{d("x", d("$gte", 1, "$lte", 5)), doc(1, "x", 7), d("operatorName", "$and",
			"clausesNotSatisfied", bson.A{d("index", 1, "details", d("operatorName", "$lte",
				"specifiedAs", d("x", d("$lte", 5)), "reason", "comparison failed",
				"consideredValue", 7))})},
		{d("$and", bson.A{d("x", 1), d("y", 1)}), doc(1, "x", 1), d("operatorName", "$and",
			"clausesNotSatisfied", bson.A{d("index", 1, "details", d("operatorName", "$eq",
				"specifiedAs", d("y", 1), "reason", "field was missing"))})},
		{d("x", d("$mod", bson.A{int32(2), int32(0)})), doc(1, "x", 7),
			d("specifiedAs", d("x", d("$mod", bson.A{int32(2), int32(0)})))},
	} {
		e := start(t, storage.Options{})
		wantNoError(t, e.Create(orders, d("validator", tt.validator)))
		want := mongoerr.New(mongoerr.DocumentValidationFailure, "Document failed validation")
		want.Fields = d("errInfo", d("failingDocumentId", 1, "details", tt.details))
		if diff := cmp.Diff(error(want), e.plain().Insert(orders, tt.doc)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.validator, diff)
		}
	}
	e := start(t, storage.Options{})
	wantCode(t, e.Create(orders, d("validator", d("$nope", 1))), mongoerr.BadValue)
}

func TestTransactionsMayBypassTheValidator(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	wantNoError(t, e.Create(orders, d("validator", d("x", 1))))
	txn := e.begin()
	wantCode(t, txn.Insert(orders, doc("a")), mongoerr.DocumentValidationFailure)
	txn.SetBypassValidation(true)
	wantNoError(t, txn.Insert(orders, doc("a")))
	txn.SetBypassValidation(false)
	wantCode(t, set(txn, "a", "y", 1), mongoerr.DocumentValidationFailure)
	wantNoError(t, set(txn, "a", "x", 1))
}

func TestValidatorCanBeTakenAway(t *testing.T) {
	t.Parallel()
	e := start(t, storage.Options{})
	wantNoError(t, e.Create(orders, d("validator", d("x", 1))))
	_, err := e.CollMod(orders, d("validator", d()))
	wantNoError(t, err)
	e.insert(doc("a"))
	wantDocs(t, []bson.D{e.Latest().Collections("shop")[0][2].Value.(bson.D)},
		d("validationLevel", "strict", "validationAction", "error"))
}
