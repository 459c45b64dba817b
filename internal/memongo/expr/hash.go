package expr

import (
	"crypto/md5"
	"encoding/binary"
	"hash"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// hashOf returns the key that a hashed index has for a value: half of an MD5 sum. Numbers count as
// the integers that they are without their fractions, and nothing as null.
func hashOf(v any) (any, error) {
	sum := md5.New()
	sum.Write(make([]byte, 4)) // the seed
	if err := hashValue(sum, orNull(v), nil); err != nil {
		return nil, err
	}
	return int64(binary.LittleEndian.Uint64(sum.Sum(nil))), nil
}

// hashValue writes a value's class, its name if it is a field, and what it says.
func hashValue(sum hash.Hash, v any, name []byte) error {
	if err := binary.Write(sum, binary.LittleEndian, canonicalType(v)); err != nil {
		return err
	}
	sum.Write(name)
	switch v := v.(type) {
	case bson.D:
		return hashFields(sum, v)
	case bson.A:
		d := make(bson.D, len(v))
		for i, element := range v {
			d[i] = bson.E{Key: strconv.Itoa(i), Value: element}
		}
		return hashFields(sum, d)
	case bson.CodeWithScope:
		return mongoerr.Unsupported("the hash of a javascriptWithScope")
	case nil, bson.Undefined, bson.MinKey, bson.MaxKey:
		return nil
	case int32, int64, float64, bson.Decimal128:
		return binary.Write(sum, binary.LittleEndian, safeLong(v))
	}
	_, data, err := bson.MarshalValue(v)
	sum.Write(data)
	return err
}

func hashFields(sum hash.Hash, d bson.D) error {
	for _, field := range d {
		if err := hashValue(sum, field.Value, append([]byte(field.Key), 0)); err != nil {
			return err
		}
	}
	sum.Write(make([]byte, 4)) // the class of the end
	return nil
}

// canonicalType is the class of a value that orders it among others.
func canonicalType(v any) int32 {
	return map[value.Bracket]int32{
		value.MinKeys: -1, value.Absent: 0, value.Nulls: 5, value.Numbers: 10, value.Strings: 15,
		value.Documents: 20, value.Arrays: 25, value.Binaries: 30, value.ObjectIDs: 35,
		value.Booleans: 40, value.Dates: 45, value.Timestamps: 47, value.Regexes: 50,
		value.DBPointers: 55, value.Scripts: 60, value.ScopedScripts: 65, value.MaxKeys: 127,
	}[value.BracketOf(v)]
}

// safeLong cuts fractions off; what is too large is the largest, and NaN is 0.
func safeLong(v any) int64 {
	if d, ok := v.(bson.Decimal128); ok {
		if n, fits := decimal.Int64(decimal.Round(d, 0, decimal.HalfEven)); fits {
			return n
		}
		v = decimal.Float64(d)
	}
	f, ok := v.(float64)
	switch {
	case !ok:
		return whole(v)
	case f != f:
		return 0
	case f >= 0x1p63:
		return 1<<63 - 1
	case f < -0x1p63:
		return -1 << 63
	}
	return int64(f)
}
