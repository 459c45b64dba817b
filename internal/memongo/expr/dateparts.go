package expr

import (
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// dateParts has what takes one number out of a date.
func dateParts(name string) reader {
	part := datePartOf(name)
	if part == nil {
		return nil
	}
	return func(c *compiler, name string, argument any) (Expr, error) {
		p := datePart{name: name, part: part}
		if err := p.read(c, argument); err != nil {
			return nil, err
		}
		return c.fold(p, p.date, p.zone), nil
	}
}

// datePartOf returns what gives a part of a date, nil if the name is no part's.
func datePartOf(name string) func(t time.Time) any {
	switch name {
	case "$year":
		return func(t time.Time) any { return int32(t.Year()) }
	case "$month":
		return func(t time.Time) any { return int32(t.Month()) }
	case "$dayOfMonth":
		return func(t time.Time) any { return int32(t.Day()) }
	case "$hour":
		return func(t time.Time) any { return int32(t.Hour()) }
	case "$minute":
		return func(t time.Time) any { return int32(t.Minute()) }
	case "$second":
		return func(t time.Time) any { return int32(t.Second()) }
	case "$millisecond":
		return func(t time.Time) any { return int32(t.Nanosecond() / 1e6) }
	case "$dayOfWeek":
		return func(t time.Time) any { return int32(t.Weekday()) + 1 }
	case "$dayOfYear":
		return func(t time.Time) any { return int32(t.YearDay()) }
	case "$week":
		return func(t time.Time) any { return int32(week(t)) }
	}
	return isoPartOf(name)
}

func isoPartOf(name string) func(t time.Time) any {
	switch name {
	case "$isoDayOfWeek":
		return func(t time.Time) any { return int32(isoWeekday(t)) }
	case "$isoWeek":
		return func(t time.Time) any { _, w := t.ISOWeek(); return int32(w) }
	case "$isoWeekYear":
		return func(t time.Time) any { y, _ := t.ISOWeek(); return int64(y) }
	}
	return nil
}

// week counts from the year's first Sunday; the days before are in week 0.
func week(t time.Time) int { return (t.YearDay() + 6 - int(t.Weekday())) / 7 }

// isoWeekday counts from Monday, which is 1.
func isoWeekday(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }

// datePart is a $year or one of its like.
type datePart struct {
	name       string
	date, zone Expr
	part       func(t time.Time) any
}

// read takes a date, [date] or {date: …, timezone: …}.
func (p *datePart) read(c *compiler, argument any) (err error) {
	switch a := argument.(type) {
	case bson.A:
		if len(a) != 1 {
			return mongoerr.New(40536, "%s accepts exactly one argument if given an array, but was "+
				"given %d", p.name, len(a))
		}
		argument = a[0]
	case bson.D:
		if len(a) == 0 || !strings.HasPrefix(a[0].Key, "$") {
			return p.readNamed(c, a)
		}
	}
	p.date, err = c.compile(argument)
	return err
}

func (p *datePart) readNamed(c *compiler, d bson.D) error {
	n, err := c.named(d, "date", "timezone")
	switch {
	case err != nil:
		return err
	case n.unknown != "":
		return mongoerr.New(40535, `unrecognized option to %s: "%s"`, p.name, n.unknown)
	case !n.has("date"):
		return mongoerr.New(40539, "missing 'date' argument to %s, provided: %s: %s", p.name,
			p.name, value.Show(d))
	}
	p.date, p.zone = n.get("date"), n.get("timezone")
	return nil
}

func (p datePart) Eval(v *Vars) (any, error) {
	date, err := p.date.Eval(v)
	if err != nil || nullish(date) {
		return nil, err
	}
	location := time.UTC
	if p.zone != nil {
		name, err := p.zone.Eval(v)
		if err != nil || nullish(name) {
			return nil, err
		}
		text, ok := name.(string)
		if !ok {
			return nil, mongoerr.New(40533, "%s requires a string for the timezone argument, but "+
				"was given a %s (%s)", p.name, value.TypeName(name), value.ShowResult(name))
		}
		if location, err = zone(text); err != nil {
			return nil, err
		}
	}
	t, err := instant(date)
	if err != nil {
		return nil, err
	}
	return p.part(t.In(location)), nil
}
