package expr

import (
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// zone reads a time zone: a name of the host's database, or an offset such as +05:30.
func zone(name string) (*time.Location, error) {
	if name == "UTC" || name == "GMT" {
		return time.UTC, nil
	}
	if offset, ok := zoneOffset(name); ok {
		return time.FixedZone(name, offset), nil
	}
	if name != "" && name != "Local" {
		if location, err := time.LoadLocation(name); err == nil {
			return location, nil
		}
	}
	return nil, mongoerr.New(40485, `unrecognized time zone identifier: "%s"`, name)
}

// zoneOffset reads +hh, +hhmm and +hh:mm.
func zoneOffset(name string) (seconds int, ok bool) {
	if name == "" || name[0] != '+' && name[0] != '-' {
		return 0, false
	}
	digits := name[1:]
	if len(digits) == 5 && digits[2] == ':' {
		digits = digits[:2] + digits[3:]
	}
	if len(digits) != 2 && len(digits) != 4 || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	var hours, minutes int
	fmt.Sscanf(digits, "%02d%02d", &hours, &minutes) //nolint:errcheck // minutes may be left out
	seconds = hours*3600 + minutes*60
	if name[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// instant takes a date, a timestamp or an object id for a time.
func instant(v any) (time.Time, error) {
	switch d := v.(type) {
	case bson.DateTime:
		return time.UnixMilli(int64(d)).UTC(), nil
	case bson.Timestamp:
		return time.Unix(int64(d.T), 0).UTC(), nil
	case bson.ObjectID:
		return d.Timestamp().UTC(), nil
	}
	return time.Time{}, mongoerr.New(16006, "can't convert from BSON type %s to Date",
		value.TypeName(v))
}

// outOfRange says that a date cannot be written with a year of four digits.
func outOfRange(t time.Time) error {
	return mongoerr.New(18537, "Could not convert date to string: date component was outside the "+
		"supported range of 0-9999: %d", t.Year())
}

// isoDate writes a date as $toString does.
func isoDate(d bson.DateTime) (string, error) {
	t := time.UnixMilli(int64(d)).UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return "", outOfRange(t)
	}
	return value.ShowDate(d), nil
}

// showTimestamp writes a timestamp as $toUpper does.
func showTimestamp(ts bson.Timestamp) string {
	t := time.Unix(int64(ts.T), 0).UTC()
	return fmt.Sprintf("%s:%d", t.Format("Jan _2 15:04:05"), ts.I)
}
