package pipeline

import (
	"math"
	"math/rand/v2"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// window passes some documents: it drops the first ones, and ends after a number of others.
type window struct{ skip, limit int64 }

func (w window) run(in documents, _ *expr.Vars) documents {
	return func(yield func(bson.D, error) bool) {
		var seen int64
		for doc, err := range in {
			if seen++; err == nil && seen <= w.skip {
				continue
			}
			if !yield(doc, err) || err != nil || seen-w.skip == w.limit {
				return
			}
		}
	}
}

func limit(spec any) (stage, error) {
	n, err := wholeNumber(5107201, "$limit", spec)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, mongoerr.New(15958, "the limit must be positive")
	}
	return window{limit: n}, nil
}

func skip(spec any) (stage, error) {
	n, err := wholeNumber(5107200, "$skip", spec)
	return window{skip: n}, err
}

func wholeNumber(code int32, name string, spec any) (int64, error) {
	n, ok := value.Int64(spec)
	shown := name + ": " + value.Show(spec)
	problem := ""
	switch {
	case !value.IsNumber(spec):
		problem = "Expected a number in: " + shown
	case !ok && tooLarge(spec):
		problem = "Cannot represent as a 64-bit integer: " + shown
	case !ok:
		problem = "Expected an integer: " + shown
	case n < 0:
		problem = "Expected a non-negative number in: " + shown
	default:
		return n, nil
	}
	return 0, mongoerr.New(code, "invalid argument to %s stage: %s", name, problem)
}

func tooLarge(n any) bool {
	f, _ := value.Float64(n)
	return math.Trunc(f) == f
}

// count gives the number of documents, and nothing if there are none.
func count(spec any) (stage, error) {
	name, ok := spec.(string)
	switch {
	case !ok:
		return nil, mongoerr.New(40156, "the count field must be a non-empty string")
	case name == "":
		return nil, mongoerr.New(40157, "the count field must be a non-empty string")
	case name[0] == '$':
		return nil, mongoerr.New(40158, "the count field cannot be a $-prefixed path")
	case strings.Contains(name, "\x00"):
		return nil, mongoerr.New(40159, "the count field cannot contain a null byte")
	case strings.Contains(name, "."):
		return nil, mongoerr.New(40160, "the count field cannot contain '.'")
	}
	return all(func(docs []bson.D, _ *expr.Vars) ([]bson.D, error) {
		if len(docs) == 0 {
			return nil, nil
		}
		return []bson.D{{{Key: name, Value: int32(len(docs))}}}, nil
	}), nil
}

// sample picks documents at random.
func sample(spec any) (stage, error) {
	d, ok := spec.(bson.D)
	if !ok {
		return nil, mongoerr.New(28745, "the $sample stage specification must be an object")
	}
	size := int64(-1)
	for _, field := range d {
		f, isNumber := value.Float64(field.Value)
		switch {
		case field.Key != "size":
			return nil, mongoerr.New(28748, "unrecognized option to $sample: %s", field.Key)
		case !isNumber:
			return nil, mongoerr.New(28746, "size argument to $sample must be a number")
		case f < 0:
			return nil, mongoerr.New(28747, "size argument to $sample must not be negative")
		}
		size = int64(min(f, math.MaxInt32))
	}
	if size < 0 {
		return nil, mongoerr.New(28749, "$sample stage must specify a size")
	}
	return all(func(docs []bson.D, _ *expr.Vars) ([]bson.D, error) {
		rand.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		return docs[:min(size, int64(len(docs)))], nil
	}), nil
}

// source is $documents: it makes documents, and takes none.
type source struct{ list expr.Expr }

func (c *compiler) documents(spec any, position int) (stage, error) {
	if position > 0 {
		return nil, mongoerr.New(40602, "$documents is only valid as the first stage in a pipeline")
	}
	x, err := c.expr(spec)
	return source{x}, err
}

func (s source) run(_ documents, v *expr.Vars) documents {
	return func(yield func(bson.D, error) bool) {
		list, err := s.list.Eval(v.On(bson.D{}))
		elements, ok := list.(bson.A)
		if err == nil && !ok {
			err = mongoerr.New(5858203, "an array is expected")
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, element := range elements {
			doc, ok := element.(bson.D)
			if !ok {
				yield(nil, mongoerr.New(40228, "elements within the array passed to $documents "+
					"must evaluate to an object, but resulting value was: %s. Type of resulting "+
					"value: '%s'", value.ShowResult(element), value.TypeName(element)))
				return
			}
			if !yield(doc, nil) {
				return
			}
		}
	}
}
