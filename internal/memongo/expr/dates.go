package expr

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// dates has the arithmetic of dates, and their texts.
func dates(name string) reader {
	switch name {
	case "$dateAdd", "$dateSubtract":
		return addingToDate
	case "$dateDiff":
		return subtractingDates
	case "$dateTrunc":
		return truncatingDate
	case "$dateToString":
		return writingDate
	case "$dateFromString":
		return readingDate
	}
	return nil
}

// addingToDate reads $dateAdd and $dateSubtract.
func addingToDate(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(5166400, "%s expects an object as its argument", name)
	}
	n, err := c.named(d, "startDate", "unit", "amount", "timezone")
	switch {
	case err != nil:
		return nil, err
	case n.unknown != "":
		return nil, mongoerr.New(5166401, "Unrecognized argument to %s: %s. Expected arguments are "+
			"startDate, unit, amount, and optionally timezone.", name, n.unknown)
	case n.missing("startDate", "unit", "amount") != "":
		return nil, mongoerr.New(5166402,
			"%s requires startDate, unit, and amount to be present", name)
	}
	operands := n.list("startDate", "unit", "amount", "timezone")
	return c.fold(call{name, operands, func(v *Vars, operands []Expr) (any, error) {
		values, err := evalNamed(v, operands, "UTC")
		if err != nil || anyNullish(values) {
			return nil, err
		}
		return addToDateValues(name, values)
	}}, operands...), nil
}

func anyNullish(values []any) bool {
	for _, val := range values {
		if nullish(val) {
			return true
		}
	}
	return false
}

func addToDateValues(name string, values []any) (any, error) {
	start, err := instant(values[0])
	if err != nil {
		return nil, mongoerr.New(5166403, "%s requires startDate to be convertible to a date", name)
	}
	text, ok := values[1].(string)
	if !ok {
		return nil, mongoerr.New(5166404, "%s expects string defining the time unit", name)
	}
	u, err := unitOf(text)
	if err != nil {
		return nil, err
	}
	amount, ok := value.Int64(values[2])
	if !ok {
		return nil, mongoerr.New(5166405, "%s expects integer amount of time units", name)
	}
	location, err := zoneOf(values[3])
	if err != nil {
		return nil, err
	}
	if name == "$dateSubtract" {
		if amount == -1<<63 {
			return nil, mongoerr.New(6045000, "invalid $dateSubtract 'amount' parameter value: %d",
				amount)
		}
		amount = -amount
	}
	return u.add(start.In(location), amount)
}

func zoneOf(val any) (*time.Location, error) {
	name, ok := val.(string)
	if !ok {
		return nil, mongoerr.New(40517, "timezone must evaluate to a string, found %s",
			value.TypeName(val))
	}
	return zone(name)
}

// subtractingDates reads $dateDiff.
func subtractingDates(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(5166301, "%s only supports an object as its argument", name)
	}
	n, err := c.named(d, "startDate", "endDate", "unit", "timezone", "startOfWeek")
	if err != nil {
		return nil, err
	}
	if n.unknown != "" {
		return nil, mongoerr.New(5166302, "Unrecognized argument to $dateDiff: %s", n.unknown)
	}
	if missing := n.missing("startDate", "endDate", "unit"); missing != "" {
		codes := map[string]int32{"startDate": 5166303, "endDate": 5166304, "unit": 5166305}
		return nil, mongoerr.New(codes[missing], "Missing '%s' parameter to $dateDiff", missing)
	}
	operands := n.list("startDate", "endDate", "unit", "timezone", "startOfWeek")
	return c.fold(call{name, operands, func(v *Vars, operands []Expr) (any, error) {
		values, err := evalNamed(v, operands[:4], "UTC")
		if err != nil {
			return nil, err
		}
		weekday, err := evalNamed(v, operands[4:], "sunday")
		if err != nil || anyNullish(values) || nullish(weekday[0]) && values[2] == "week" {
			return nil, err
		}
		return dateDifference(values, weekday[0])
	}}, operands...), nil
}

func dateDifference(values []any, weekday any) (any, error) {
	var ends [2]time.Time
	for i, what := range []string{"startDate", "endDate"} {
		t, err := instant(values[i])
		if err != nil {
			return nil, mongoerr.New(5166307, "$dateDiff requires '%s' to be a date, but got %s",
				what, value.TypeName(values[i]))
		}
		ends[i] = t
	}
	u, err := unitParameter("$dateDiff", values[2])
	if err != nil {
		return nil, err
	}
	first, err := startOfWeek("$dateDiff", u, weekday)
	if err != nil {
		return nil, err
	}
	location, err := zoneParameter("$dateDiff", values[3])
	if err != nil {
		return nil, err
	}
	start, end := ends[0].In(location), ends[1].In(location)
	if u.byTheClock() { // an hour is one also where the clocks are changed
		_, offset := start.Zone()
		end = end.In(time.FixedZone("", offset))
	}
	return u.count(end, first) - u.count(start, first), nil
}

// zoneParameter reads the zone of $dateDiff and $dateTrunc.
func zoneParameter(name string, val any) (*time.Location, error) {
	location, err := zoneOf(val)
	if known, ok := err.(*mongoerr.Error); ok {
		return nil, mongoerr.New(known.Code,
			"%s parameter 'timezone' value parsing failed :: caused by :: %s", name, known.Message)
	}
	return location, err
}

// unitParameter reads a unit of $dateDiff and $dateTrunc.
func unitParameter(name string, val any) (unit, error) {
	text, ok := val.(string)
	if !ok {
		return "", mongoerr.New(5439013,
			"%s requires 'unit' to be a string, but got %s", name, value.TypeName(val))
	}
	u, err := unitOf(text)
	if err != nil {
		return "", mongoerr.New(5439014, "%s parameter 'unit' value cannot be recognized as a time "+
			"unit: %s", name, text)
	}
	return u, nil
}

// startOfWeek reads a day by its name or its first three letters. It counts for weeks alone.
func startOfWeek(name string, u unit, val any) (time.Weekday, error) {
	if u != "week" {
		return 0, nil
	}
	text, ok := val.(string)
	if !ok {
		return 0, mongoerr.New(5439015, "%s requires 'startOfWeek' to be a string, but got %s",
			name, value.TypeName(val))
	}
	lowered := swapCase(text, upper)
	for day := time.Sunday; day <= time.Saturday; day++ {
		full := swapCase(day.String(), upper)
		if lowered == full || lowered == full[:3] {
			return day, nil
		}
	}
	return 0, mongoerr.New(5439016, "%s parameter 'startOfWeek' value cannot be recognized as a "+
		"day of a week: %s", name, text)
}
