package spec

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fwgen/fwgen/internal/diag"
)

var (
	integer = regexp.MustCompile(`^[+-]?[0-9]+$`)
	decimal = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?$`)
	days    = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)d`)
)

func (o *Option) parseInt(text string) (any, *diag.Diagnostic) {
	if !integer.MatchString(text) {
		return nil, problem(diag.WrongKind, "%s is a whole number, not %q", o.what(), text).
			hint("write a number such as %s=%s", o.what(), o.example()).ptr()
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil { // only the range is left to be wrong
		n = math.MaxInt32
		if strings.HasPrefix(text, "-") {
			n = math.MinInt32
		}
	}
	if d := o.inRange(text, float64(n), parseDecimal); d != nil {
		return nil, d
	}
	if err != nil {
		return nil, problem(diag.OutOfRange, "%s is at most %d, got %s",
			o.what(), math.MaxInt32, text).ptr()
	}
	return int(n), nil
}

func (o *Option) parseFactor(text string) (any, *diag.Diagnostic) {
	if !decimal.MatchString(text) {
		return nil, problem(diag.WrongKind, "%s is a number, not %q", o.what(), text).
			hint("write a number such as %s=%s", o.what(), o.example()).ptr()
	}
	f := parseDecimal(text)
	if d := o.inRange(text, f, parseDecimal); d != nil {
		return nil, d
	}
	if math.IsInf(f, 0) {
		return nil, problem(diag.OutOfRange, "%s is too large: %s", o.what(), text).ptr()
	}
	return f, nil
}

func (o *Option) parsePercent(text string) (any, *diag.Diagnostic) {
	number, isPercent := strings.CutSuffix(text, "%")
	if !isPercent || !decimal.MatchString(number) {
		p := problem(diag.WrongKind, "%s is a percentage, not %q", o.what(), text)
		if decimal.MatchString(text) {
			return nil, p.hint("write it with a percent sign, such as %s=%s",
				o.what(), o.example()).ptr()
		}
		return nil, p.hint("such as %s=%s", o.what(), o.example()).ptr()
	}
	f := parsePercent(text)
	if d := o.inRange(text, f, parsePercent); d != nil {
		return nil, d
	}
	return f, nil
}

func (o *Option) parseDuration(text string) (any, *diag.Diagnostic) {
	d, err := ParseDuration(text)
	if err != nil {
		p := problem(diag.WrongKind, "%s is a duration, not %q", o.what(), text)
		if decimal.MatchString(text) {
			return nil, p.hint("write it with a unit, such as %ss", text).ptr()
		}
		return nil, p.hint("a number with a unit: ns, us, ms, s, m, h or d").ptr()
	}
	if o.Positive && d <= 0 {
		return nil, problem(diag.OutOfRange, "%s is more than 0, got %s", o.what(), text).ptr()
	}
	if p := o.inRange(text, float64(d), parseNanoseconds); p != nil {
		return nil, p
	}
	return d, nil
}

// inRange compares a value with Min and Max, all in the unit that parse gives.
func (o *Option) inRange(text string, v float64, parse func(string) float64) *diag.Diagnostic {
	if o.Min != "" && v < parse(o.Min) {
		return problem(diag.OutOfRange, "%s is at least %s, got %s", o.what(), o.Min, text).ptr()
	}
	if o.Max != "" && v > parse(o.Max) {
		return problem(diag.OutOfRange, "%s is at most %s, got %s", o.what(), o.Max, text).ptr()
	}
	return nil
}

// example is a value that a message can show.
func (o *Option) example() string {
	if o.Default != "" {
		return o.Default
	}
	return "100"
}

// ParseDuration reads a Go duration, which may begin with days: 30d, 1d12h. A day has 24 hours.
func ParseDuration(text string) (time.Duration, error) {
	match := days.FindStringSubmatch(text)
	if match == nil {
		return time.ParseDuration(text)
	}
	day, err := time.ParseDuration(match[1] + "h")
	if err != nil {
		return 0, err
	}
	if day > math.MaxInt64/24 {
		return 0, strconv.ErrRange
	}
	rest := text[len(match[0]):]
	if rest == "" {
		return day * 24, nil
	}
	more, err := time.ParseDuration(rest)
	switch {
	case err != nil:
		return 0, err
	case more < 0 || rest[0] == '+' || day*24 > math.MaxInt64-more:
		return 0, strconv.ErrRange
	}
	return day*24 + more, nil
}

// The three below read text that was checked before: a user's by a pattern, the table's by a test.

func parseDecimal(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64) // ±Inf where out of range, which is what comparing needs
	return f
}

func parsePercent(text string) float64 {
	return parseDecimal(strings.TrimSuffix(text, "%")) / 100
}

func parseNanoseconds(text string) float64 {
	d, _ := ParseDuration(text)
	return float64(d)
}
