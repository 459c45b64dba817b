package letter

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/fwgen/fwgen/runtime/store"
)

// field is a part of the event, of any size.
type field struct {
	key      string
	value    bson.RawValue // zero: the event has none
	rank     int           // worth for a replay, the smallest first
	optional bool          // left out where the event has none; else null
}

// fieldsOf returns the parts of the event in the order in which they are stored.
func fieldsOf(l store.DeadLetter) []field {
	full, before := l.FullDocument, l.FullDocumentBeforeChange
	if l.OmitDocument {
		full, before = bson.RawValue{}, bson.RawValue{}
	}
	metadata := l.Metadata
	if len(metadata) == 0 {
		metadata = bson.Raw(bsoncore.NewDocumentBuilder().Build())
	}
	return []field{
		{key: "documentKey", value: embedded(l.DocumentKey), rank: 1},
		{key: "fullDocument", value: full, rank: 3},
		{key: "fullDocumentBeforeChange", value: before, rank: 5, optional: true},
		{key: "updateDescription", value: embedded(l.UpdateDescription), rank: 4, optional: true},
		{key: "ns", value: embedded(l.Namespace), rank: 2},
		{key: "clusterTime", value: timestamp(l.ClusterTime)},
		{key: "wallTime", value: date(l)},
		{key: "txn", value: embedded(l.Txn), rank: 7, optional: true},
		{key: "resumeToken", value: embedded(l.ResumeToken)},
		{key: "metadata", value: embedded(metadata), rank: 6},
	}
}

func (f field) present() bool { return f.value.Type != 0 }

// append adds the field as it is. Not by the driver's codecs, which would parse it.
func (f field) append(dst []byte) []byte {
	if !f.present() {
		return bsoncore.AppendNullElement(dst, f.key)
	}
	return bsoncore.AppendValueElement(dst, f.key, bsoncore.Value{
		Type: bsoncore.Type(f.value.Type),
		Data: f.value.Value,
	})
}

func embedded(raw bson.Raw) bson.RawValue {
	if len(raw) == 0 {
		return bson.RawValue{}
	}
	return bson.RawValue{Type: bson.TypeEmbeddedDocument, Value: raw}
}

// timestamp is null where it is not known: the server would replace a zero one by the time of the
// write.
func timestamp(t bson.Timestamp) bson.RawValue {
	if t.IsZero() {
		return bson.RawValue{}
	}
	return bson.RawValue{Type: bson.TypeTimestamp, Value: bsoncore.AppendTimestamp(nil, t.T, t.I)}
}

func date(l store.DeadLetter) bson.RawValue {
	if l.WallTime.IsZero() {
		return bson.RawValue{}
	}
	return bson.RawValue{
		Type:  bson.TypeDateTime,
		Value: bsoncore.AppendDateTime(nil, l.WallTime.UnixMilli()),
	}
}
