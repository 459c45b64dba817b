package value_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// nested writes a document that has others in it, one in the other. Encoding one would take as
// much of the stack as decoding does.
func nested(levels int) bson.Raw {
	var raw []byte
	for i := range levels {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(5+8*(levels-i)))
		raw = append(raw, byte(bson.TypeEmbeddedDocument), 'a', 0)
	}
	raw = append(raw, 5, 0, 0, 0, 0)
	return append(raw, make([]byte, levels)...)
}

func TestADocumentHasUpTo200Levels(t *testing.T) {
	t.Parallel()
	if d, err := value.Decode(nested(200)); err != nil || len(d) != 1 {
		t.Errorf("200 levels: %v", err)
	}
	for _, levels := range []int{201, 2_000_000} {
		_, err := value.Decode(nested(levels))
		want := mongoerr.New(mongoerr.Overflow, "BSONObj exceeds maximum nested object depth in "+
			"element with field name '%sa' in object with unknown _id", strings.Repeat("a.", 200))
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}

func TestScopesAreLevels(t *testing.T) {
	t.Parallel()
	var d bson.D
	if err := bson.Unmarshal(nested(150), &d); err != nil {
		t.Fatal(err)
	}
	for range 60 {
		d = bson.D{{Key: "a", Value: bson.CodeWithScope{Code: "x", Scope: d}}}
	}
	raw, err := value.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := value.Decode(raw); !mongoerr.Is(err, mongoerr.Overflow) {
		t.Error(err)
	}
}
