package expr

import "go.mongodb.org/mongo-driver/v2/bson"

// Vars are the variables that an expression can use, for one document.
type Vars struct {
	Root        any            // $$ROOT, and $$CURRENT unless With binds another
	Now         bson.DateTime  // $$NOW
	ClusterTime bson.Timestamp // $$CLUSTER_TIME
	Let         map[string]any // the command's let

	bound *binding // innermost first
	// current is what field paths start from where $$CURRENT is bound.
	current *any
}

// binding is a variable of $let, $map and their like.
type binding struct {
	name  string
	value any
	outer *binding
}

// With returns variables in which one more is bound; value.Missing binds it to nothing.
func (v *Vars) With(name string, val any) *Vars {
	inner := *v
	if name == "CURRENT" {
		inner.current = &val
		return &inner
	}
	inner.bound = &binding{name: name, value: val, outer: v.bound}
	return &inner
}

// On returns the same variables for another document.
func (v *Vars) On(root any) *Vars {
	inner := *v
	inner.Root, inner.current = root, nil
	return &inner
}

// start returns what a field path without a variable starts from.
func (v *Vars) start() any {
	if v.current != nil {
		return *v.current
	}
	return v.Root
}

// lookup returns a variable that the user named.
func (v *Vars) lookup(name string) (any, bool) {
	for b := v.bound; b != nil; b = b.outer {
		if b.name == name {
			return b.value, true
		}
	}
	val, ok := v.Let[name]
	return val, ok
}
