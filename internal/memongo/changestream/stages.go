package changestream

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// filters are $match stages.
type filters []*match.Matcher

// Each lets an event through that all filters match.
func (f filters) Each(doc bson.D, vars *expr.Vars) (bson.D, bool, error) {
	for _, m := range f {
		if ok, err := m.Match(doc, vars.On(doc)); err != nil || !ok {
			return nil, false, err
		}
	}
	return doc, true, nil
}

// compileStages compiles a user's stages; none are nil.
func compileStages(list bson.A, o *Options) (stages, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var f filters
	for _, stage := range list {
		d, ok := stage.(bson.D)
		if !ok || len(d) != 1 || d[0].Key != "$match" {
			return nil, mongoerr.Unsupported("stages other than $match after $changeStream yet")
		}
		spec, _ := d[0].Value.(bson.D)
		m, err := match.Compile(spec)
		if err != nil {
			return nil, err
		}
		f = append(f, m)
	}
	return f, nil
}
