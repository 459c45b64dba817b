package mongostore

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// document reads fields of a stored document. People edit these documents by hand, and a shell
// stores a number as a double: a field of an unexpected type reads as zero rather than as an error
// that would stop a stream.
type document bson.Raw

func (d document) lookup(key string) bson.RawValue {
	value, err := bson.Raw(d).LookupErr(key)
	if err != nil {
		return bson.RawValue{}
	}
	return value
}

func (d document) str(key string) string {
	value, _ := d.lookup(key).StringValueOK()
	return value
}

func (d document) int(key string) int64 {
	value, _ := d.lookup(key).AsInt64OK()
	return value
}

func (d document) sub(key string) document {
	value, _ := d.lookup(key).DocumentOK()
	return document(value)
}

func (d document) time(key string) time.Time {
	value, ok := d.lookup(key).DateTimeOK()
	if !ok {
		return time.Time{}
	}
	return time.UnixMilli(value).UTC()
}

// milliseconds reads a span that is stored as a number of them.
func (d document) milliseconds(key string) time.Duration {
	return time.Duration(d.int(key)) * time.Millisecond
}

// left is the time from an instant of the server's clock until the stored one, 0 if none is stored.
func (d document) left(key string, at time.Time) time.Duration {
	until := d.time(key)
	if until.IsZero() {
		return 0
	}
	return until.Sub(at)
}

func (d document) values(key string) []bson.RawValue {
	array, ok := d.lookup(key).ArrayOK()
	if !ok {
		return nil
	}
	values, err := array.Values()
	if err != nil {
		return nil
	}
	return values
}

func (d document) subs(key string) (subs []document) {
	for _, value := range d.values(key) {
		if sub, ok := value.DocumentOK(); ok {
			subs = append(subs, document(sub))
		}
	}
	return subs
}

func (d document) strs(key string) []string {
	values := d.values(key)
	if values == nil {
		return nil
	}
	strs := make([]string, 0, len(values))
	for _, value := range values {
		if str, ok := value.StringValueOK(); ok {
			strs = append(strs, str)
		}
	}
	return strs
}
