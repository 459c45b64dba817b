package update_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/update"
)

// doc reads extended JSON.
func doc(t *testing.T, text string) bson.D {
	t.Helper()
	var d bson.D
	if err := bson.UnmarshalExtJSON([]byte(text), false, &d); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func TestOperators(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, doc, update, want, updated string }{
		{
			"new fields are appended in the order of their names",
			`{"_id": 1, "a": 1}`, `{"$set": {"z": 1, "y": 2, "a": 5}}`,
			`{"_id": 1, "a": 5, "y": 2, "z": 1}`, `{"a": 5, "y": 2, "z": 1}`,
		},
		{
			"missing documents are made, and told as they were made",
			`{"_id": 1}`, `{"$set": {"n.m": 1, "n.k": 2}}`,
			`{"_id": 1, "n": {"k": 2, "m": 1}}`, `{"n": {"k": 2, "m": 1}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			u, err := update.Compile(doc(t, test.update), update.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := u.Apply(doc(t, test.doc), update.Context{Vars: &expr.Vars{}, Position: -1})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(doc(t, test.want), r.Doc); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(doc(t, test.updated), r.Desc.Updated); diff != "" {
				t.Errorf("updatedFields (-want +got):\n%s", diff)
			}
		})
	}
}
