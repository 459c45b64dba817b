package expr

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// truncatingDate reads $dateTrunc.
func truncatingDate(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(5439007, "%s only supports an object as its argument", name)
	}
	n, err := c.named(d, "date", "unit", "binSize", "timezone", "startOfWeek")
	if err != nil {
		return nil, err
	}
	if n.unknown != "" {
		return nil, mongoerr.New(5439008, "Unrecognized argument to %s: %s. Expected arguments are "+
			"date, unit, and optionally, binSize, timezone, startOfWeek", name, n.unknown)
	}
	if missing := n.missing("date", "unit"); missing != "" {
		codes := map[string]int32{"date": 5439009, "unit": 5439010}
		return nil, mongoerr.New(codes[missing], "Missing '%s' parameter to %s", missing, name)
	}
	operands := n.list("date", "unit", "binSize", "timezone", "startOfWeek")
	return c.fold(dateTruncation(operands), operands...), nil
}

// dateTruncation is a $dateTrunc: date, unit, size of a bin, zone, start of the week.
type dateTruncation []Expr

func (x dateTruncation) Eval(v *Vars) (any, error) {
	values, err := evalAllOr(v, x, []any{nil, nil, int32(1), "UTC", "sunday"})
	if err != nil || anyNullish(values[:4]) || values[1] == "week" && nullish(values[4]) {
		return nil, err
	}
	t, err := instant(values[0])
	if err != nil {
		return nil, mongoerr.New(5439012, "$dateTrunc requires 'date' to be a date, but got %s",
			value.TypeName(values[0]))
	}
	u, err := unitParameter("$dateTrunc", values[1])
	if err != nil {
		return nil, err
	}
	bin, ok := value.Int64(values[2])
	if !ok {
		return nil, mongoerr.New(5439017, "$dateTrunc requires 'binSize' to be a 64-bit integer, "+
			"but got value '%s' of type %s", value.ShowResult(values[2]),
			value.TypeName(values[2]))
	}
	if bin <= 0 {
		return nil, mongoerr.New(5439018, "$dateTrunc requires 'binSize' to be greater than 0, but "+
			"got value %d", bin)
	}
	location, err := zoneParameter("$dateTrunc", values[3])
	if err != nil {
		return nil, err
	}
	first, err := startOfWeek("$dateTrunc", u, values[4])
	if err != nil {
		return nil, err
	}
	return u.truncate(t.In(location), bin, first)
}

func evalAllOr(v *Vars, operands []Expr, absent []any) ([]any, error) {
	values := make([]any, len(operands))
	for i := range operands {
		val, err := evalNamed(v, operands[i:i+1], absent[i])
		if err != nil {
			return nil, err
		}
		values[i] = val[0]
	}
	return values, nil
}

// truncate returns when a date's bin began; bins count from the year 2000 in the date's zone.
func (u unit) truncate(t time.Time, bin int64, weekday time.Weekday) (any, error) {
	if bin > (1<<63-1)/u.milliseconds()/100 {
		return nil, mongoerr.Unsupported("bins of %d %ss in $dateTrunc", bin, u)
	}
	reference := time.Date(2000, time.January, 1, 0, 0, 0, 0, t.Location())
	if size := bin * u.milliseconds(); u.byTheClock() {
		passed := floorDiv(t.UnixMilli()-reference.UnixMilli(), size)
		return bson.DateTime(reference.UnixMilli() + passed*size), nil
	}
	origin := u.count(reference, weekday)
	if u == "week" { // the first whole week
		origin++
		if reference.Weekday() == weekday {
			origin--
		}
	}
	whole := origin + floorDiv(u.count(t, weekday)-origin, bin)*bin
	return u.start(whole, weekday, t.Location()), nil
}

// start is the inverse of count.
func (u unit) start(count int64, weekday time.Weekday, location *time.Location) bson.DateTime {
	if months := count * u.months(); u.months() > 0 {
		return date(time.Date(int(floorDiv(months, 12)), time.Month(months-floorDiv(months, 12)*12+1),
			1, 0, 0, 0, 0, location))
	}
	local := count * u.milliseconds()
	if u == "week" {
		local -= (4 - int64(weekday) + 7) % 7 * unit("day").milliseconds()
	}
	wall := time.UnixMilli(local).UTC()
	return date(time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(),
		wall.Second(), wall.Nanosecond(), location))
}

func date(t time.Time) bson.DateTime { return bson.DateTime(t.UnixMilli()) }
