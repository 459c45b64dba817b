package storage

import (
	"math"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// CollMod changes a collection's options: validator, validationLevel, validationAction,
// changeStreamPreAndPostImages, and an index's expireAfterSeconds. The answer has the fields that
// the command's has beside ok, such as expireAfterSeconds_new.
func (e *Engine) CollMod(ns Namespace, changes bson.D) (answer bson.D, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	m, err := parseCollMod(changes)
	if err != nil {
		return nil, err
	}
	c := e.state.Load().collection(ns)
	if c == nil {
		return nil, mongoerr.New(mongoerr.NamespaceNotFound, "ns does not exist")
	}
	if err := m.apply(c); err != nil {
		return nil, err
	}
	if err := e.busy(func(used Namespace) bool { return used == ns }); err != nil {
		return nil, err
	}
	e.commit([]change{{definition: m.definition, entry: Entry{
		Op: OpCollMod, NS: ns, UUID: c.uuid, Detail: m.detail, StateBefore: m.before,
	}}}, false)
	return m.answer, nil
}

// modification is a collMod command, and what comes of it.
type modification struct {
	options bson.D // as given
	index   bson.D // which one, and its new values; nil for none

	definition     *definition
	detail, before bson.D // for the oplog
	answer         bson.D
}

func parseCollMod(changes bson.D) (*modification, error) {
	m := &modification{detail: bson.D{}}
	for _, field := range changes {
		switch field.Key {
		case "writeConcern", "comment", "maxTimeMS":
			continue
		case "index":
			index, err := object("collMod.index", field.Value)
			if err != nil {
				return nil, err
			}
			if m.index = index; m.index == nil {
				m.index = bson.D{}
			}
		case "viewOn", "pipeline", "expireAfterSeconds", "timeseries", "cappedSize", "cappedMax":
			return nil, mongoerr.Unsupported("%s in collMod", field.Key)
		default:
			if err := checkOption("collMod", field); err != nil {
				return nil, err
			}
			m.options = append(m.options, field)
		}
		m.detail = append(m.detail, field)
	}
	return m, nil
}

// apply makes the new definition.
func (m *modification) apply(c *collection) (err error) {
	old := append(bson.D{{Key: "uuid", Value: c.uuid}}, c.definition.options...)
	m.before = bson.D{{Key: "collectionOptions", Value: old}}
	indexes := c.definition.indexes
	if m.index != nil {
		if indexes, err = m.applyIndex(c); err != nil {
			return err
		}
	}
	m.definition, err = newDefinition(m.merged(c.definition.options), indexes)
	return err
}

// merged returns the options with the new ones. Where anything about validation is given, a
// server keeps the level and the action, too.
func (m *modification) merged(options bson.D) bson.D {
	validation := false
	for _, field := range m.options {
		options = value.Set(options, field.Key, field.Value)
		validation = validation || field.Key != "changeStreamPreAndPostImages"
	}
	if validation {
		if _, ok := value.Get(options, "validationLevel"); !ok {
			options = value.Set(options, "validationLevel", "strict")
		}
		if _, ok := value.Get(options, "validationAction"); !ok {
			options = value.Set(options, "validationAction", "error")
		}
	}
	return orderedOptions(options)
}

// applyIndex returns the indexes with one changed.
func (m *modification) applyIndex(c *collection) ([]*index, error) {
	old, err := m.which(c)
	if err != nil {
		return nil, err
	}
	expiry, expires := value.Get(m.index, "expireAfterSeconds")
	hidden, hides := value.Get(m.index, "hidden")
	if !expires && !hides {
		return nil, invalidOptions("no expireAfterSeconds, hidden, unique, or prepareUnique field")
	}
	told, before, x := bson.D{}, bson.D{}, old
	if expires {
		if x, err = m.expire(x, expiry, &before); err != nil {
			return nil, err
		}
		told = append(told, bson.E{Key: "expireAfterSeconds", Value: expiry})
	}
	if hides {
		if x, err = m.hide(x, hidden, &before); err != nil {
			return nil, err
		}
		told = append(told, bson.E{Key: "hidden", Value: hidden})
	}
	told = append(bson.D{{Key: "name", Value: old.name}}, told...)
	m.before = append(m.before, bson.E{Key: "indexOptions", Value: before})
	m.detail = value.Set(m.detail, "index", told)
	indexes := slices.Clone(c.definition.indexes)
	indexes[slices.Index(indexes, old)] = x
	return indexes, nil
}

// expire returns the index with another expiry. An index that is nil is that of the _id.
func (m *modification) expire(x *index, v any, before *bson.D) (*index, error) {
	seconds, err := newExpiry(v)
	switch {
	case err != nil:
		return nil, err
	case x == nil:
		return nil, invalidOptions("the _id field does not support TTL indexes")
	case len(x.key) > 1:
		return nil, invalidOptions("TTL indexes are single-field indexes, " +
			"compound indexes do not support TTL")
	}
	if x.expires != nil {
		*before = append(*before, bson.E{Key: "expireAfterSeconds", Value: *x.expires})
		m.answer = append(m.answer, bson.E{Key: "expireAfterSeconds_old", Value: int64(*x.expires)})
	}
	m.answer = append(m.answer, bson.E{Key: "expireAfterSeconds_new", Value: int64(seconds)})
	return x.withExpiry(seconds), nil
}

// hide returns the index hidden or shown.
func (m *modification) hide(x *index, v any, before *bson.D) (*index, error) {
	hidden, ok := v.(bool)
	switch {
	case !ok:
		return nil, wrongType("collMod.index.hidden", "bool", v)
	case x == nil:
		return nil, mongoerr.New(mongoerr.BadValue, "can't hide _id index")
	}
	*before = append(*before, bson.E{Key: "hidden", Value: x.hidden})
	m.answer = append(m.answer, bson.E{Key: "hidden_old", Value: x.hidden},
		bson.E{Key: "hidden_new", Value: hidden})
	changed := *x
	changed.hidden = hidden
	return &changed, nil
}

// which finds the index; nil is that of the _id.
func (m *modification) which(c *collection) (*index, error) {
	for _, field := range m.index {
		switch field.Key {
		case "name", "keyPattern", "expireAfterSeconds", "hidden":
		case "unique", "prepareUnique", "forceNonUnique":
			return nil, mongoerr.Unsupported("index.%s in collMod", field.Key)
		default:
			return nil, unknownField("collMod.index." + field.Key)
		}
	}
	name, _ := value.Lookup(m.index, "name").(string)
	key, byKey := value.Lookup(m.index, "keyPattern").(bson.D)
	if name == "" && !byKey {
		return nil, invalidOptions("Must specify either index name or key pattern.")
	}
	if name == "_id_" || sameKey(key, bson.D{{Key: "_id", Value: int32(1)}}) {
		return nil, nil
	}
	for _, x := range c.definition.indexes {
		if x.name == name || byKey && sameKey(x.key, key) {
			return x, nil
		}
	}
	wanted := name
	if byKey {
		wanted = value.Show(key)
	}
	return nil, mongoerr.New(mongoerr.IndexNotFound, "cannot find index %s for ns %s", wanted, c.ns)
}

func newExpiry(v any) (int32, error) {
	seconds, ok := value.Float64(v)
	switch {
	case !ok:
		return 0, mongoerr.New(mongoerr.TypeMismatch, "BSON field 'collMod.index.expireAfterSeconds'"+
			" is the wrong type '%s', expected types '[long, int, decimal, double']",
			value.TypeName(v))
	case seconds < 0:
		return 0, invalidOptions("TTL index 'expireAfterSeconds' option cannot be less than 0")
	case !(seconds <= math.MaxInt32):
		return 0, invalidOptions("TTL index 'expireAfterSeconds' option must be within an " +
			"acceptable range, try a lower number")
	}
	return int32(seconds), nil
}

func invalidOptions(message string) error {
	return mongoerr.New(mongoerr.InvalidOptions, "%s", message)
}
