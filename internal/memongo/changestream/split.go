package changestream

import (
	"cmp"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/token"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

const stageSplit = "$changeStreamSplitLargeEvent"

// Codes of the split stage.
const (
	codeSplitTooLarge = 7182500
	codeSplitSpec     = 7182800
	codeSplitNoObject = 7182899
)

// Sizes in bytes.
const (
	largestEvent   = 16<<20 + 16<<10 // a document that a server can send
	largestWhole   = 16<<20 + 8<<10  // an event that is not split, together with its token
	fragmentFrame  = 67              // a fragment without its fields and its token
	fragmentTokens = 2               // how often a fragment's size counts its token
)

// item is what a stream delivers: an event or a fragment of one, or its own end.
type item struct {
	doc   bson.D
	token token.Token
	size  int
	end   bool
}

// split takes an event apart that is too large. The fields are put into fragments by their size,
// the smallest first, and by name; each fragment takes as many as fit.
func split(event bson.D, tok token.Token) ([]item, error) {
	limit := largestWhole - value.Size(tok.Document())
	if size := value.Size(event); size <= limit {
		return []item{{doc: event, token: tok, size: size}}, nil
	}
	groups, err := fragments(event, tok, limit)
	if err != nil {
		return nil, err
	}
	items := make([]item, len(groups))
	for i, fields := range groups {
		tok.Fragment = i + 1
		head := bson.D{
			{Key: "_id", Value: tok.Document()},
			{Key: "splitEvent", Value: bson.D{
				{Key: "fragment", Value: int32(i + 1)},
				{Key: "of", Value: int32(len(groups))},
			}},
		}
		doc := append(head, fields...)
		items[i] = item{doc: doc, token: tok, size: value.Size(doc)}
	}
	return items, nil
}

// fragments groups the fields of an event.
func fragments(event bson.D, tok token.Token, limit int) ([]bson.D, error) {
	var groups []bson.D
	used := 0
	for _, field := range bySize(event) {
		size := value.ElementSize(field.Key, field.Value)
		if len(groups) == 0 || used+size > limit {
			groups = append(groups, nil)
			tok.Fragment = len(groups)
			used = fragmentFrame + fragmentTokens*value.Size(tok.Document())
			if used+size > limit {
				return nil, mongoerr.New(codeSplitTooLarge, "Splitting change event failed: "+
					"fragment size %d is greater than maximum allowed fragment size %d",
					used+size, limit)
			}
		}
		used += size
		last := len(groups) - 1
		groups[last] = append(groups[last], field)
	}
	return groups, nil
}

func bySize(event bson.D) bson.D {
	fields := slices.DeleteFunc(slices.Clone(event), func(f bson.E) bool { return f.Key == "_id" })
	slices.SortFunc(fields, func(a, b bson.E) int {
		return cmp.Or(cmp.Compare(value.ElementSize(a.Key, a.Value), value.ElementSize(b.Key, b.Value)),
			cmp.Compare(a.Key, b.Key))
	})
	return fields
}

// cutSplit takes the split stage off the end of the pipeline.
func cutSplit(stages bson.A) (rest bson.A, found bool, err error) {
	for i, stage := range stages {
		d, ok := stage.(bson.D)
		if !ok || len(d) != 1 || d[0].Key != stageSplit {
			continue
		}
		spec, ok := d[0].Value.(bson.D)
		switch {
		case !ok:
			return nil, false, mongoerr.New(codeSplitNoObject,
				"%s must take a nested object but found: %s", stageSplit, showFields(d))
		case len(spec) > 0:
			return nil, false, mongoerr.New(codeSplitSpec, stageSplit+" spec should be an empty object")
		case i < len(stages)-1:
			return nil, false, mongoerr.New(mongoerr.SplitEventFragmentNotTheLast,
				stageSplit+" must be the last stage in the pipeline")
		}
		return stages[:i], true, nil
	}
	return stages, false, nil
}
