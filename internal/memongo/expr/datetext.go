package expr

import (
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// dateWriter is a $dateToString.
type dateWriter struct{ date, format, zone, onNull Expr }

func writingDate(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(18629, "%s only supports an object as its argument", name)
	}
	n, err := c.named(d, "date", "format", "timezone", "onNull")
	switch {
	case err != nil:
		return nil, err
	case n.unknown != "":
		return nil, mongoerr.New(18534, "Unrecognized argument to %s: %s", name, n.unknown)
	case !n.has("date"):
		return nil, mongoerr.New(18628, "Missing 'date' parameter to %s", name)
	}
	o := n.list("date", "format", "timezone", "onNull")
	return c.fold(dateWriter{o[0], o[1], o[2], o[3]}, o...), nil
}

func (w dateWriter) Eval(v *Vars) (any, error) {
	values, err := evalNamed(v, []Expr{w.date, w.zone, w.format}, value.Missing)
	if err != nil {
		return nil, err
	}
	date, zoneName, format := values[0], values[1], values[2]
	layout := "%Y-%m-%dT%H:%M:%S.%LZ"
	if w.format != nil {
		text, ok := format.(string)
		if !ok && !nullish(format) {
			return nil, mongoerr.New(18533, "$dateToString requires that 'format' be a string, "+
				"found: %s with value %s", value.TypeName(format), value.ShowResult(format))
		}
		layout = text
	}
	location := time.UTC
	if w.zone != nil && !nullish(zoneName) {
		if location, err = zoneOf(zoneName); err != nil {
			return nil, err
		}
	}
	switch {
	case nullish(date) && w.onNull != nil:
		return w.onNull.Eval(v)
	case nullish(date) || w.format != nil && nullish(format) || w.zone != nil && nullish(zoneName):
		return nil, nil
	}
	t, err := instant(date)
	if err != nil {
		return nil, err
	}
	return writeDate(t.In(location), layout)
}

// writeDate puts the parts of a date where the format has a percent sign and a letter.
func writeDate(t time.Time, format string) (any, error) {
	var text strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			text.WriteByte(format[i])
			continue
		}
		i++
		if i == len(format) {
			return nil, mongoerr.New(18535, "Unmatched '%%' at end of format string")
		}
		part, ok := dateText(t, format[i])
		if !ok {
			return nil, mongoerr.New(18536, "Invalid format character '%%%c' in format string",
				format[i])
		}
		if (t.Year() < 0 || t.Year() > 9999) && strings.IndexByte("YG", format[i]) >= 0 {
			return nil, outOfRange(t)
		}
		text.WriteString(part)
	}
	return text.String(), nil
}

func dateText(t time.Time, letter byte) (string, bool) {
	if layout, ok := map[byte]string{
		'd': "02", 'm': "01", 'Y': "2006", 'H': "15", 'M': "04", 'S': "05", 'j': "002",
		'z': "-0700", '%': "%",
	}[letter]; ok {
		return t.Format(layout), true
	}
	isoYear, isoWeek := t.ISOWeek()
	_, offset := t.Zone()
	switch letter {
	case 'L':
		return fmt.Sprintf("%03d", t.Nanosecond()/1e6), true
	case 'w':
		return fmt.Sprint(int(t.Weekday()) + 1), true
	case 'u':
		return fmt.Sprint(isoWeekday(t)), true
	case 'U':
		return fmt.Sprintf("%02d", week(t)), true
	case 'V':
		return fmt.Sprintf("%02d", isoWeek), true
	case 'G':
		return fmt.Sprintf("%04d", isoYear), true
	case 'Z':
		return fmt.Sprint(offset / 60), true
	}
	return "", false
}

// dateReader is a $dateFromString without a format.
type dateReader struct{ text, zone, onError, onNull Expr }

func readingDate(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(40540,
			"%s only supports an object as an argument, found: %s", name, value.TypeName(argument))
	}
	n, err := c.named(d, "dateString", "format", "timezone", "onNull", "onError")
	switch {
	case err != nil:
		return nil, err
	case n.unknown != "":
		return nil, mongoerr.New(40541, "Unrecognized argument to %s: %s", name, n.unknown)
	case !n.has("dateString"):
		return nil, mongoerr.New(40542, "Missing 'dateString' parameter to %s", name)
	case n.has("format"):
		return nil, mongoerr.Unsupported("the format of %s", name)
	}
	o := n.list("dateString", "timezone", "onError", "onNull")
	return c.fold(dateReader{o[0], o[1], o[2], o[3]}, o...), nil
}

func (r dateReader) Eval(v *Vars) (any, error) {
	values, err := evalNamed(v, []Expr{r.text, r.zone}, "UTC")
	if err != nil {
		return nil, err
	}
	if nullish(values[0]) && r.onNull != nil {
		return r.onNull.Eval(v)
	}
	if anyNullish(values) {
		return nil, nil
	}
	location, err := zoneOf(values[1])
	if err != nil {
		return nil, err
	}
	if r.zone == nil {
		location = nil
	}
	result, err := readDate(values[0], location)
	if err != nil && r.onError != nil && mongoerr.Is(err, mongoerr.ConversionFailure) {
		return r.onError.Eval(v)
	}
	return result, err
}

func readDate(val any, location *time.Location) (any, error) {
	text, ok := val.(string)
	if !ok {
		return nil, failConversion("$dateFromString requires that 'dateString' be a string, found: "+
			"%s with value %s", value.TypeName(val), value.ShowResult(val))
	}
	return parseDateIn(text, location)
}
