package update

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// set is $set and $setOnInsert.
type set struct{ to any }

func (o set) update(s site, old any) (any, effect, error) {
	if s.at.element.form != closed {
		return o.to, changed, nil // made of paths for an upsert: a server does not compare those
	}
	return changedTo(old, o.to)
}

func (o set) create(site) any { return o.to }

// unset is $unset.
type unset struct{}

func (unset) update(s site, _ any) (any, effect, error) {
	return nil, removed, nil
}

func (unset) create(site) any { return nil }

// bound is $min and $max: the value that sorts first, or last.
type bound struct {
	to   any
	sign int // what Compare gives where the field keeps its value
}

func (o bound) update(_ site, old any) (any, effect, error) {
	if value.Compare(o.to, old)*o.sign >= 0 {
		return old, nothing, nil
	}
	return o.to, changed, nil
}

func (o bound) create(site) any { return o.to }

// currentDate is $currentDate.
type currentDate struct{ timestamp bool }

func (o currentDate) update(s site, _ any) (any, effect, error) {
	return o.create(s), changed, nil
}

func (o currentDate) create(s site) any {
	if o.timestamp {
		return s.timestamp()
	}
	return s.Vars.Now
}

func parseCurrentDate(arg any) (operator, error) {
	switch arg := arg.(type) {
	case bool:
		return currentDate{}, nil
	case bson.D:
		return parseDateType(arg)
	}
	return nil, mongoerr.New(mongoerr.BadValue, "%s is not valid type for $currentDate. Please "+
		"use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).",
		value.TypeName(arg))
}

func parseDateType(spec bson.D) (operator, error) {
	for _, field := range spec {
		if field.Key != "$type" {
			return nil, mongoerr.New(mongoerr.BadValue,
				"Unrecognized $currentDate option: %s", field.Key)
		}
	}
	name, _ := value.Get(spec, "$type")
	if name != "date" && name != "timestamp" {
		return nil, mongoerr.New(mongoerr.BadValue, "The '$type' string field is required to be "+
			"'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}")
	}
	return currentDate{timestamp: name == "timestamp"}, nil
}
