package memongo

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// letVars returns the variables of the command's let, and those of one statement.
func (r *request) letVars(constants bson.D) (*expr.Vars, error) {
	vars := r.vars()
	let, _ := r.args.document("let")
	for _, e := range append(let[:len(let):len(let)], constants...) {
		if err := expr.CheckVariable(e.Key); err != nil {
			return nil, err
		}
		compiled, err := expr.CompileIn(e.Value, vars.Let)
		if err != nil {
			return nil, err
		}
		if readsDocuments(e.Value) {
			return nil, mongoerr.New(4890500, "Command let Expression tried to access a field, but "+
				"this is not allowed because Command let Expressions run before the query "+
				"examines any documents.")
		}
		v, err := compiled.Eval(vars)
		if err != nil {
			return nil, err
		}
		if vars.Let == nil {
			vars.Let = make(map[string]any)
		}
		vars.Let[e.Key] = v
	}
	return vars, r.args.failed()
}

// readsDocuments reports whether an expression names a field of the document that it is for.
func readsDocuments(e any) bool {
	switch e := e.(type) {
	case string:
		return len(e) > 1 && e[0] == '$' && e[1] != '$'
	case bson.A:
		return slices.ContainsFunc(e, readsDocuments)
	case bson.D:
		return slices.ContainsFunc(e, func(f bson.E) bool {
			return f.Key != "$literal" && readsDocuments(f.Value)
		})
	}
	return false
}
