package update

import (
	"maps"
	"slices"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// diffDocuments computes how one document differs from another, in the form of the oplog:
//
//	{d: {gone: false}, u: {changed: 1}, i: {new: 2}, sInner: {…}}
//
// The form counts, because its size decides what is told as a difference. Fields are compared in
// their order: one that moved back is a new one.
func diffDocuments(pre, post bson.D) bson.D {
	var changed, inserted, parts bson.D
	skipped := map[string]bool{}
	for len(pre) > 0 && len(post) > 0 {
		if pre[0].Key != post[0].Key {
			skipped[pre[0].Key] = true
			pre = pre[1:]
			continue
		}
		if part := diffValues(pre[0].Value, post[0].Value); part != nil {
			parts = append(parts, bson.E{Key: "s" + post[0].Key, Value: part})
		} else if !value.Identical(pre[0].Value, post[0].Value) {
			changed = append(changed, post[0])
		}
		pre, post = pre[1:], post[1:]
	}
	for _, field := range post {
		inserted = append(inserted, field)
		delete(skipped, field.Key)
	}
	var gone bson.D
	for _, field := range pre {
		gone = append(gone, bson.E{Key: field.Key, Value: false})
	}
	for _, name := range slices.Sorted(maps.Keys(skipped)) {
		gone = append(gone, bson.E{Key: name, Value: false})
	}
	return slices.Concat(section("d", gone), section("u", changed), section("i", inserted), parts)
}

func section(name string, fields bson.D) bson.D {
	if fields == nil {
		return nil
	}
	return bson.D{{Key: name, Value: fields}}
}

// diffValues returns the difference between two documents or two arrays, or nil if there is none
// or the second is not larger.
func diffValues(pre, post any) bson.D {
	if value.Identical(pre, post) {
		return nil
	}
	var diff bson.D
	switch post := post.(type) {
	case bson.D:
		pre, ok := pre.(bson.D)
		if !ok {
			return nil
		}
		diff = diffDocuments(pre, post)
	case bson.A:
		pre, ok := pre.(bson.A)
		if !ok {
			return nil
		}
		diff = diffArrays(pre, post)
	default:
		return nil
	}
	if value.Size(diff) >= value.Size(post) {
		return nil
	}
	return diff
}

// diffArrays compares arrays element by element, in the form {a: true, l: newLength, u0: …}.
func diffArrays(pre, post bson.A) bson.D {
	diff := bson.D{{Key: "a", Value: true}}
	if len(post) < len(pre) {
		diff = append(diff, bson.E{Key: "l", Value: int32(len(post))})
	}
	for i, v := range post {
		name := strconv.Itoa(i)
		if i >= len(pre) {
			diff = append(diff, bson.E{Key: "u" + name, Value: v})
		} else if part := diffValues(pre[i], v); part != nil {
			diff = append(diff, bson.E{Key: "s" + name, Value: part})
		} else if !value.Identical(pre[i], v) {
			diff = append(diff, bson.E{Key: "u" + name, Value: v})
		}
	}
	return diff
}

// describeDiff reads a difference as a change event tells it.
func describeDiff(diff bson.D, prefix string, d *Description) {
	if len(diff) > 0 && diff[0].Key == "a" {
		describeArrayDiff(diff[1:], prefix, d)
		return
	}
	for _, field := range diff {
		inner := field.Value.(bson.D)
		switch field.Key {
		case "d":
			for _, gone := range inner {
				d.Removed = append(d.Removed, prefix+gone.Key)
			}
		case "u", "i":
			for _, changed := range inner {
				d.update(prefix+changed.Key, changed.Value)
			}
		default:
			describeDiff(inner, prefix+field.Key[1:]+".", d)
		}
	}
}

func describeArrayDiff(diff bson.D, prefix string, d *Description) {
	for _, field := range diff {
		switch name := prefix + field.Key[1:]; field.Key[0] {
		case 'l':
			d.Truncated = append(d.Truncated, Truncation{
				Field: prefix[:len(prefix)-1], NewSize: field.Value.(int32),
			})
		case 'u':
			d.update(name, field.Value)
		default:
			describeDiff(field.Value.(bson.D), name+".", d)
		}
	}
}
