package value_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

func TestChangesAreMadeToACopy(t *testing.T) {
	t.Parallel()
	original := func() bson.D {
		return append(make(bson.D, 0, 8), bson.E{Key: "a", Value: int32(1)},
			bson.E{Key: "b", Value: int32(2)})
	}
	d := original()
	changed := []bson.D{
		value.Set(d, "a", "x"), value.Set(d, "c", "x"), value.Set(d, "d", "y"),
		value.Without(d, "a"), value.Without(d, "x"),
	}
	want := []bson.D{
		{{Key: "a", Value: "x"}, {Key: "b", Value: int32(2)}},
		{{Key: "a", Value: int32(1)}, {Key: "b", Value: int32(2)}, {Key: "c", Value: "x"}},
		{{Key: "a", Value: int32(1)}, {Key: "b", Value: int32(2)}, {Key: "d", Value: "y"}},
		{{Key: "b", Value: int32(2)}},
		original(),
	}
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Error(diff)
	}
	changed[4][0].Value = "changed"
	if diff := cmp.Diff(original(), d); diff != "" {
		t.Error("the original changed:", diff)
	}
}

func TestADocumentThatLosesItsLastFieldIsEmpty(t *testing.T) {
	t.Parallel()
	inner := value.Without(bson.D{{Key: "a", Value: nil}}, "a")
	raw, err := value.Encode(bson.D{{Key: "inner", Value: inner}})
	if err != nil {
		t.Fatal(err)
	}
	back, err := value.Decode(raw)
	if diff := cmp.Diff(bson.D{{Key: "inner", Value: bson.D{}}}, back); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestLookupFollowsNamesThroughDocumentsAlone(t *testing.T) {
	t.Parallel()
	d := bson.D{
		{Key: "a", Value: bson.D{{Key: "b", Value: nil}, {Key: "c", Value: bson.A{bson.D{}}}}},
		{Key: "a", Value: "the second of a name is not seen"},
	}
	for _, test := range []struct {
		path []string
		want any
	}{
		{nil, d},
		{[]string{"a", "b"}, nil},
		{[]string{"a", "b", "c"}, value.Missing},
		{[]string{"a", "c", "0"}, value.Missing},
		{[]string{"x"}, value.Missing},
	} {
		if got := value.Lookup(d, test.path...); !cmp.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.path, got, test.want)
		}
	}
	if v, ok := value.Get(d, "x"); ok || v != value.Missing {
		t.Errorf("a field that is not there: %v %v", v, ok)
	}
}
