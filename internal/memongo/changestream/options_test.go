package changestream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/changestream"
	"github.com/fwgen/fwgen/internal/memongo/expr"
)

func spec(pairs ...any) bson.D {
	var d bson.D
	for i := 0; i < len(pairs); i += 2 {
		d = append(d, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return d
}

// The answers of 6.0.5.
func TestSpecificationsAreRefusedAsAServerDoes(t *testing.T) {
	t.Parallel()
	tok := spec("_data", "826B0E1408000000382B0229296E04")
	ts := bson.Timestamp{T: 1, I: 1}
	const cluster = "A $changeStream with 'allChangesForCluster:true' may only be opened on the " +
		"'admin' database, and with no collection name; found "
	for _, test := range []struct {
		ns      string
		spec    any
		code    int32
		message string
	}{
		{"db.c", int32(5), 6188500,
			"$changeStream must take a nested object but found: $changeStream: 5"},
		{"db.c", spec("foo", int32(1)), 40415, "BSON field '$changeStream.foo' is an unknown field."},
		{"db.c", spec("fullDocument", "nope"), 2, "Enumeration value 'nope' for field " +
			"'$changeStream.fullDocument' is not a valid value."},
		{"db.c", spec("fullDocumentBeforeChange", "default"), 2, "Enumeration value 'default' for " +
			"field '$changeStream.fullDocumentBeforeChange' is not a valid value."},
		{"db.c", spec("fullDocument", int32(1)), 14, "BSON field '$changeStream.fullDocument' is " +
			"the wrong type 'int', expected type 'string'"},
		{"db.c", spec("startAtOperationTime", int32(1)), 14, "BSON field " +
			"'$changeStream.startAtOperationTime' is the wrong type 'int', expected type 'timestamp'"},
		{"db.c", spec("resumeAfter", int32(5)), 14, "BSON field '$changeStream.resumeAfter' is " +
			"the wrong type 'int', expected type 'object'"},
		{"db.c", spec("startAfter", "x"), 14, "BSON field '$changeStream.startAfter' is the wrong " +
			"type 'string', expected type 'object'"},
		{"db.c", spec("showExpandedEvents", int32(1)), 14,
			"Field 'showExpandedEvents' should be a boolean value, but found: int"},
		{"db.c", spec("fullDocument", "required", "fullDocument", "default"), 40413,
			"BSON field '$changeStream.fullDocument' is a duplicate field"},
		{"db.c", spec("resumeAfter", tok, "startAfter", tok), 50865,
			"Do not specify both 'resumeAfter' and 'startAfter' in a $changeStream stage"},
		{"db.c", spec("startAfter", tok, "startAtOperationTime", ts), 40674,
			"Only one type of resume option is allowed, but multiple were found"},
		{"db.c", spec("resumeAfter", tok, "startAtOperationTime", ts), 40674,
			"Only one type of resume option is allowed, but multiple were found"},
		{"db", spec("allChangesForCluster", true), 72, cluster + "db.$cmd.aggregate"},
		{"db.c", spec("allChangesForCluster", true), 72, cluster + "db.c"},
		{"admin.c", spec("allChangesForCluster", true), 72, cluster + "admin.c"},
		{"admin", spec("allChangesForCluster", false), 73,
			"$changeStream may not be opened on the internal admin database"},
		{"config.x", spec(), 73, "$changeStream may not be opened on the internal config database"},
		{"db.system.js", spec(), 73,
			"$changeStream may not be opened on the internal db.system.js collection"},
		{"db.c", spec("showSystemEvents", true), 238,
			"memongo does not support the option showSystemEvents of $changeStream"},
	} {
		_, err := changestream.ParseSpec(ns(test.ns), test.spec)
		wantError(t, err, test.code, test.message)
	}
}

func TestSpecificationsAreRead(t *testing.T) {
	t.Parallel()
	tok, ts := spec("_data", "82"), bson.Timestamp{T: 7}
	for _, test := range []struct {
		ns   string
		spec bson.D
		want changestream.Options
	}{
		{"db.c", nil, changestream.Options{Scope: changestream.Collection}},
		{"db", nil, changestream.Options{Scope: changestream.Database}},
		{"admin", spec("allChangesForCluster", true), changestream.Options{Scope: changestream.Cluster}},
		{"db.c", spec("fullDocument", nil, "startAtOperationTime", nil, "resumeAfter", nil),
			changestream.Options{}},
		{"db.c", spec("fullDocument", "updateLookup", "fullDocumentBeforeChange", "required",
			"startAfter", tok, "showExpandedEvents", true),
			changestream.Options{FullDocument: "updateLookup", Before: "required", StartAfter: tok,
				ShowExpanded: true}},
		{"db.c", spec("startAtOperationTime", ts), changestream.Options{StartAt: &ts}},
		{"db.c", spec("resumeAfter", tok), changestream.Options{ResumeAfter: tok}},
	} {
		test.want.NS = ns(test.ns)
		got, err := changestream.ParseSpec(ns(test.ns), test.spec)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(expr.Vars{})); diff != "" || err != nil {
			t.Errorf("%v: %v\n%s", test.spec, err, diff)
		}
	}
}
