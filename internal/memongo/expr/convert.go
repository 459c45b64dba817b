package expr

import (
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/decimal"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// noOnError is part of what the server says where $convert has no onError.
const noOnError = " in $convert with no onError value"

func failConversion(format string, args ...any) error {
	return mongoerr.New(mongoerr.ConversionFailure, format, args...)
}

func unsupportedConversion(input any, to string) error {
	return failConversion("Unsupported conversion from %s to %s"+noOnError,
		value.TypeName(input), to)
}

func overflows(input string) error {
	return failConversion("Conversion would overflow target type"+noOnError+": %s", input)
}

// convert changes the type of a value that is not null.
func convert(input any, to string) (any, error) {
	switch to {
	case "bool":
		return toBool(input)
	case "int":
		return toInt(input)
	case "long":
		return toLong(input, to)
	case "double":
		return toDouble(input)
	case "decimal":
		return toDecimal(input)
	case "string":
		return toText(input)
	case "date":
		return toDate(input)
	case "objectId":
		return toObjectID(input)
	}
	return nil, unsupportedConversion(input, to)
}

// toBool takes everything but a number that is 0 and a false for true.
func toBool(input any) (any, error) {
	switch n := input.(type) {
	case bool:
		return n, nil
	case int32, int64, float64, bson.Decimal128:
		return !value.Equal(n, int32(0)), nil
	}
	return true, nil
}

func toInt(input any) (any, error) {
	switch n := input.(type) {
	case int32:
		return n, nil
	case bool:
		return one(n), nil
	case int64:
		if int64(int32(n)) != n {
			return nil, overflows("")
		}
		return int32(n), nil
	case float64, bson.Decimal128:
		long, err := wholePart(n)
		if err == nil && int64(int32(long)) != long {
			err = overflows(value.ShowResult(n))
		}
		return int32(long), err
	case string:
		n64, err := parseWhole(n, 32)
		return int32(n64), err
	}
	return nil, unsupportedConversion(input, "int")
}

// toLong is for dates, too, for which the type's name is another.
func toLong(input any, to string) (any, error) {
	switch n := input.(type) {
	case int64:
		return n, nil
	case int32:
		return int64(n), nil
	case bool:
		return int64(one(n)), nil
	case float64, bson.Decimal128:
		return wholePart(n)
	case string:
		return parseWhole(n, 64)
	case bson.DateTime:
		return int64(n), nil
	}
	return nil, unsupportedConversion(input, to)
}

func one(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// wholePart cuts the fraction off a double or a decimal.
func wholePart(n any) (int64, error) {
	f := float(n)
	switch {
	case math.IsNaN(f):
		return 0, failConversion("Attempt to convert NaN value to integer type" + noOnError)
	case math.IsInf(f, 0):
		return 0, failConversion("Attempt to convert infinity value to integer type" + noOnError)
	}
	if d, ok := n.(bson.Decimal128); ok {
		if whole, ok := decimal.Int64(d); ok {
			return whole, nil
		}
	} else if f >= -0x1p63 && f < 0x1p63 {
		return int64(f), nil
	}
	return 0, overflows(value.ShowResult(n))
}

func toDouble(input any) (any, error) {
	switch n := input.(type) {
	case int32, int64, float64:
		return float(n), nil
	case bson.Decimal128:
		f := decimal.Float64(n)
		if math.IsInf(f, 0) && n.IsInf() == 0 {
			return nil, overflows(n.String())
		}
		return f, nil
	case bool:
		return float64(one(n)), nil
	case bson.DateTime:
		return float64(n), nil
	case string:
		return parseDouble(n)
	}
	return nil, unsupportedConversion(input, "double")
}

func toDecimal(input any) (any, error) {
	switch n := input.(type) {
	case int32, int64, float64, bson.Decimal128:
		return dec(n), nil
	case bool:
		return decimal.FromInt64(int64(one(n))), nil
	case bson.DateTime:
		return decimal.FromInt64(int64(n)), nil
	case string:
		return parseDecimal(n)
	}
	return nil, unsupportedConversion(input, "decimal")
}

func toText(input any) (any, error) {
	switch s := input.(type) {
	case string:
		return s, nil
	case float64:
		return value.ShowDouble(s), nil
	case int32, int64, bool, bson.Decimal128, bson.ObjectID:
		return value.ShowResult(s), nil
	case bson.DateTime:
		return isoDate(s)
	}
	return nil, unsupportedConversion(input, "string")
}

func toDate(input any) (any, error) {
	switch d := input.(type) {
	case bson.DateTime:
		return d, nil
	case int64, float64, bson.Decimal128:
		ms, err := toLong(d, "date")
		if err != nil {
			return nil, err
		}
		return bson.DateTime(ms.(int64)), nil
	case bson.ObjectID:
		return bson.NewDateTimeFromTime(d.Timestamp()), nil
	case bson.Timestamp:
		return bson.DateTime(int64(d.T) * 1000), nil
	case string:
		return parseDate(d)
	}
	return nil, unsupportedConversion(input, "date")
}

func toObjectID(input any) (any, error) {
	switch id := input.(type) {
	case bson.ObjectID:
		return id, nil
	case string:
		return parseObjectID(id)
	}
	return nil, unsupportedConversion(input, "objectId")
}
