package value

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Show returns a value as the server prints stored documents in messages:
// { a: 1, b: [ "x", 1.5 ] }.
func Show(v any) string {
	return style{inside: " ", double: showStoredDouble, rare: showStoredRare}.show(v)
}

// ShowResult returns a value as the server prints the results of expressions in messages:
// {a: 1, b: ["x", 1.5]}.
func ShowResult(v any) string {
	return style{inside: "", double: showResultDouble, rare: showResultRare}.show(v)
}

// style is one of the server's two ways to print values.
type style struct {
	inside string // what stands inside of braces and brackets
	double func(f float64) string
	rare   func(v any) string
}

func (s style) show(v any) string {
	switch v := v.(type) {
	case bson.D:
		parts := make([]string, len(v))
		for i, field := range v {
			parts[i] = field.Key + ": " + s.show(field.Value)
		}
		return s.enclose("{", parts, "}")
	case bson.A:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = s.show(element)
		}
		return s.enclose("[", parts, "]")
	case float64:
		return s.double(v)
	}
	if text, ok := showPlain(v); ok {
		return text
	}
	return s.rare(v)
}

func (s style) enclose(left string, parts []string, right string) string {
	if len(parts) == 0 {
		return left + right
	}
	return left + s.inside + strings.Join(parts, ", ") + s.inside + right
}

// showPlain prints what both styles print alike.
func showPlain(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return `"` + v + `"`, true
	case int32, int64, bool:
		return fmt.Sprint(v), true
	case bson.Decimal128:
		return v.String(), true
	case nil:
		return "null", true
	case bson.Undefined:
		return "undefined", true
	case bson.MinKey:
		return "MinKey", true
	case bson.MaxKey:
		return "MaxKey", true
	case bson.Timestamp:
		return fmt.Sprintf("Timestamp(%d, %d)", v.T, v.I), true
	case bson.Regex:
		return "/" + v.Pattern + "/" + v.Options, true
	}
	return "", false
}

func showStoredRare(v any) string {
	switch v := v.(type) {
	case bson.ObjectID:
		return "ObjectId('" + v.Hex() + "')"
	case bson.DateTime:
		return fmt.Sprintf("new Date(%d)", int64(v))
	case bson.Binary:
		if v.Subtype == bson.TypeBinaryUUID && len(v.Data) == 16 {
			d := v.Data
			return fmt.Sprintf(`UUID("%x-%x-%x-%x-%x")`, d[:4], d[4:6], d[6:8], d[8:10], d[10:])
		}
		return fmt.Sprintf("BinData(%d, %s)", v.Subtype, upperHex(v.Data))
	case bson.JavaScript:
		return string(v)
	case bson.Symbol:
		return `"` + string(v) + `"`
	case bson.DBPointer:
		return fmt.Sprintf("DBRef('%s',%s)", v.DB, v.Pointer.Hex())
	case bson.CodeWithScope:
		return fmt.Sprintf("CodeWScope( %s, %s)", v.Code, showScope(v.Scope))
	}
	return "MISSING"
}

func showResultRare(v any) string {
	switch v := v.(type) {
	case bson.ObjectID:
		return v.Hex()
	case bson.DateTime:
		return ShowDate(v)
	case bson.Binary:
		return fmt.Sprintf(`BinData(%d, "%s")`, v.Subtype, upperHex(v.Data))
	case bson.JavaScript:
		return `Code("` + string(v) + `")`
	case bson.Symbol:
		return `Symbol("` + string(v) + `")`
	case bson.DBPointer:
		return fmt.Sprintf(`DBRef("%s", %s)`, v.DB, v.Pointer.Hex())
	case bson.CodeWithScope:
		return fmt.Sprintf(`CodeWScope("%s", %s)`, v.Code, showScope(v.Scope))
	}
	return "MISSING"
}

func showScope(scope any) string {
	if d, ok := scope.(bson.D); ok {
		return Show(d)
	}
	return "{}"
}

func upperHex(data []byte) string { return strings.ToUpper(hex.EncodeToString(data)) }

// ShowDate returns a date as $toString gives it.
func ShowDate(d bson.DateTime) string {
	return time.UnixMilli(int64(d)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// ShowDouble returns a double as $toString gives it: six digits are kept.
func ShowDouble(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

func showResultDouble(f float64) string {
	if text, special := showSpecial(f); special {
		return text
	}
	return ShowDouble(f)
}

// showStoredDouble appends .0 to what has no point, whatever it is, as the server does.
func showStoredDouble(f float64) string {
	text, special := showSpecial(f)
	if !special {
		text = strconv.FormatFloat(f, 'g', 16, 64)
	}
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func showSpecial(f float64) (string, bool) {
	switch {
	case math.IsNaN(f):
		return "nan", true
	case math.IsInf(f, 1):
		return "inf", true
	case math.IsInf(f, -1):
		return "-inf", true
	}
	return "", false
}
