package expr

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// unit is a unit of time, by its name.
type unit string

func unitOf(name string) (unit, error) {
	switch name {
	case "year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond":
		return unit(name), nil
	}
	return "", mongoerr.New(mongoerr.FailedToParse, "unknown time unit value: %s", name)
}

// milliseconds is how long a unit is, at most for those whose length changes.
func (u unit) milliseconds() int64 {
	const day = 24 * 60 * 60 * 1000
	return map[unit]int64{
		"year": 366 * day, "quarter": 92 * day, "month": 31 * day, "week": 7 * day, "day": day,
		"hour": 3600_000, "minute": 60_000, "second": 1000, "millisecond": 1,
	}[u]
}

// byTheClock reports whether a unit always has the same length.
func (u unit) byTheClock() bool { return u.milliseconds() < unit("day").milliseconds() }

// months is how many months a unit has, 0 if it is shorter.
func (u unit) months() int64 {
	return map[unit]int64{"year": 12, "quarter": 3, "month": 1}[u]
}

// add moves a date by the calendar of its zone for days and more, and else by the clock.
func (u unit) add(t time.Time, amount int64) (any, error) {
	if limit := (1<<63 - 1) / u.milliseconds(); amount > limit || amount < -limit {
		return nil, mongoerr.New(5976500, "invalid dateAdd 'amount' parameter value: %d %s",
			amount, u)
	}
	switch u {
	case "year", "quarter", "month":
		t = addMonths(t, amount*u.months())
	case "week", "day":
		t = addDays(t, amount*u.milliseconds()/unit("day").milliseconds())
	default:
		sum, overflow := addWhole(t.UnixMilli(), amount*u.milliseconds())
		if overflow {
			return nil, mongoerr.New(5166406, "$dateAdd overflowed")
		}
		return bson.DateTime(sum), nil
	}
	return bson.DateTime(t.UnixMilli()), nil
}

// addMonths keeps the day, or takes the month's last one.
func addMonths(t time.Time, months int64) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, t.Hour(), t.Minute(), t.Second(),
		t.Nanosecond(), t.Location())
	last := first.AddDate(0, 1, -1).Day()
	return addDays(first, int64(min(t.Day(), last)-1))
}

func addDays(t time.Time, days int64) time.Time { return t.AddDate(0, 0, int(days)) }

// count returns how many whole units have begun since a date long ago.
func (u unit) count(t time.Time, weekday time.Weekday) int64 {
	switch u {
	case "year", "quarter", "month":
		return (int64(t.Year())*12 + int64(t.Month()) - 1) / u.months()
	}
	local := t.UnixMilli()
	_, offset := t.Zone()
	local += int64(offset) * 1000
	if u == "week" {
		const thursday = 4 // the day of 1970-01-01
		shift := (thursday - int64(weekday) + 7) % 7
		local += shift * unit("day").milliseconds()
	}
	return floorDiv(local, u.milliseconds())
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
