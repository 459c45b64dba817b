package expr

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func parseFailure(text, reason string) error {
	return failConversion("Failed to parse number '%s'"+noOnError+": %s", text, reason)
}

// checkHexadecimal refuses what other parsers take.
func checkHexadecimal(text string) error {
	digits := strings.TrimLeft(text, "+-")
	if strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X") {
		return failConversion("Illegal hexadecimal input"+noOnError+": %s", text)
	}
	return nil
}

func parseWhole(text string, bits int) (int64, error) {
	if err := checkHexadecimal(text); err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, bits)
	switch {
	case err == nil:
		return n, nil
	case text == "":
		return 0, parseFailure(text, "No digits")
	case errors.Is(err, strconv.ErrRange):
		return 0, parseFailure(text, "Overflow")
	}
	return 0, parseFailure(text, "Did not consume whole string.")
}

func parseDouble(text string) (any, error) {
	if err := checkHexadecimal(text); err != nil {
		return nil, err
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		return nil, parseFailure(text, "Empty string")
	case errors.Is(err, strconv.ErrRange) && math.IsInf(f, 0):
		return nil, parseFailure(text, "Out of range")
	case err == nil && !strings.Contains(text, "_"):
		return f, nil
	}
	reason := "Did not consume any digits"
	if c := strings.TrimLeft(text, "+-. \t\n"); c != "" && digit(c[0]) {
		reason = "Did not consume whole string."
	}
	return nil, parseFailure(text, reason)
}

func parseDecimal(text string) (any, error) {
	if err := checkHexadecimal(text); err != nil {
		return nil, err
	}
	d, err := bson.ParseDecimal128(text)
	if err != nil {
		return nil, parseFailure(text, "Failed to parse string to decimal")
	}
	return d, nil
}

func parseObjectID(text string) (any, error) {
	failed := func(format string, args ...any) error {
		return failConversion("Failed to parse objectId '%s'"+noOnError+": "+format,
			append([]any{text}, args...)...)
	}
	if len(text) != 24 {
		return nil, failed("Invalid string length for parsing to OID, expected 24 but found %d",
			len(text))
	}
	id, err := bson.ObjectIDFromHex(text)
	if err == nil {
		return id, nil
	}
	wrong := strings.TrimLeft(text, "0123456789abcdefABCDEF")
	return nil, failed("Invalid character found in hex string: %c", wrong[0])
}

// parseDate reads a date, and takes one without a zone for UTC's.
func parseDate(text string) (any, error) { return parseDateIn(text, nil) }

// parseDateIn reads the ISO forms of dates, with and without a time and a zone. Where a place is
// given, a zone is an error.
func parseDateIn(text string, place *time.Location) (any, error) {
	location := place
	if place == nil {
		location = time.UTC
	}
	for _, form := range dateForms() {
		for _, zone := range []string{"", "Z07:00", "Z0700", "Z07", " Z07:00", " Z0700"} {
			t, err := time.ParseInLocation(form+zone, text, location)
			switch {
			case err != nil:
				continue
			case place != nil && strings.HasSuffix(text, "Z"):
				return nil, failConversion("you cannot pass in a date/time string with time zone " +
					"information ('Z') together with a timezone argument")
			case place != nil && zone != "":
				return nil, failConversion("you cannot pass in a date/time string with GMT offset " +
					"together with a timezone argument")
			}
			return bson.NewDateTimeFromTime(t), nil
		}
	}
	return nil, failConversion(
		`an incomplete date/time string has been found, with elements missing: "%s"`, text)
}

func dateForms() []string {
	return []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02T15",
		"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02", "20060102"}
}
