package value

import (
	"encoding/binary"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Key returns a string that two values share if and only if they are [Equal], for maps by _id and
// for unique indexes. It has no order and no meaning beside that. Whoever wants a missing field
// to be found as null has to ask for the key of nil.
func Key(v any) string { return string(appendKey(nil, v)) }

// appendKey writes each value so that none is the beginning of another one's.
func appendKey(b []byte, v any) []byte {
	bracket := BracketOf(v)
	b = append(b, 'A'+byte(bracket))
	switch v := v.(type) {
	case int32, int64, float64, bson.Decimal128:
		return appendNumberKey(b, v)
	case string:
		return appendText(b, v)
	case bson.Symbol:
		return appendText(b, string(v))
	case bson.D:
		return appendDocumentKey(b, v)
	case bson.A:
		b = binary.AppendUvarint(b, uint64(len(v)))
		for _, element := range v {
			b = appendKey(b, element)
		}
		return b
	case bool:
		return strconv.AppendBool(b, v)
	case bson.DateTime:
		return binary.BigEndian.AppendUint64(b, uint64(v))
	}
	return appendRareKey(b, v)
}

func appendRareKey(b []byte, v any) []byte {
	switch v := v.(type) {
	case bson.Binary:
		return appendText(append(b, v.Subtype), string(v.Data))
	case bson.ObjectID:
		return append(b, v[:]...)
	case bson.Timestamp:
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, v.T), v.I)
	case bson.Regex:
		return appendText(appendText(b, v.Pattern), v.Options)
	case bson.DBPointer:
		return append(appendText(b, v.DB), v.Pointer[:]...)
	case bson.JavaScript:
		return appendText(b, string(v))
	case bson.CodeWithScope:
		return appendDocumentKey(appendText(b, string(v.Code)), scope(v))
	}
	return b
}

func appendDocumentKey(b []byte, d bson.D) []byte {
	b = binary.AppendUvarint(b, uint64(len(d)))
	for _, e := range d {
		b = appendKey(appendText(b, e.Key), e.Value)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendNumberKey writes the digits and the power of ten, which do not depend on the type.
func appendNumberKey(b []byte, v any) []byte {
	s := scientificOf(v)
	if s.nan {
		return append(b, "nan;"...)
	}
	b = append(b, "-0+"[s.sign+1])
	b = append(append(b, s.digits...), 'e')
	return append(strconv.AppendInt(b, int64(s.exp), 10), ';')
}
