package spec

import "slices"

// Target is what a verb is written on.
type Target int

// The targets.
const (
	OnType   Target = iota // a handler struct
	OnMethod               // one of its methods
)

// Kind is the type of a value.
type Kind int

// The kinds of values.
const (
	Flag       Kind = iota // the key alone
	Bool                   // true or false
	Int                    // 5
	Factor                 // 1.5
	Percent                // 20%
	Duration               // 1m30s, 30d
	Enum                   // one of Values
	Text                   // anything
	Stream                 // the name of a stream
	Collection             // the name of a collection
	Database               // the name of a database
	Type                   // a Go type: Order, models.Order
	Error                  // an error value or type: ErrX, pkg.ErrX, *TypeName
	Instant                // now, oldest or an RFC 3339 time
	Path                   // a field path: customer.id
)

// Verb is one kind of directive.
type Verb struct {
	Name   string
	Target Target
	Doc    string
	// Keys are what a type's verb accepts, Arg is the one unnamed value of a method's verb.
	Keys []*Option
	Arg  *Option
}

// Option is a key of a verb.
type Option struct {
	Name string
	Kind Kind
	Doc  string
	// Default is what holds when the key is not written, as a user would write it. Empty: none.
	Default string
	// Min and Max bound numbers and durations, as a user would write them. Empty: unbounded.
	Min, Max string
	// Positive demands more than zero of a duration, where no smallest one makes sense.
	Positive bool
	// Values are the words of an Enum, and the words beside times of an Instant.
	Values []Value
	// List allows several values, separated by commas.
	List bool
	// Bare allows the key without a value.
	Bare bool
	// Required keys must be written.
	Required bool
	// Missing says that this release does not have the option's engine.
	Missing bool
}

// Value is one word that an option accepts.
type Value struct {
	Name string
	Doc  string
	// Missing says that this release does not have the value's engine.
	Missing bool
}

// Lookup finds a verb.
func Lookup(name string) *Verb {
	i := slices.IndexFunc(Verbs, func(v *Verb) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return Verbs[i]
}

// Names lists the verbs for a target.
func Names(target Target) []string {
	var names []string
	for _, v := range Verbs {
		if v.Target == target {
			names = append(names, v.Name)
		}
	}
	return names
}

// Lookup finds a key of the verb.
func (v *Verb) Lookup(key string) *Option {
	i := slices.IndexFunc(v.Keys, func(o *Option) bool { return o.Name == key })
	if i < 0 {
		return nil
	}
	return v.Keys[i]
}

// Available lists the verb's keys that this release has an engine for.
func (v *Verb) Available() []string {
	var names []string
	for _, o := range v.Keys {
		if !o.Missing {
			names = append(names, o.Name)
		}
	}
	return names
}

// Words lists the option's values that this release has an engine for.
func (o *Option) Words() []string {
	var words []string
	for _, v := range o.Values {
		if !v.Missing {
			words = append(words, v.Name)
		}
	}
	return words
}
