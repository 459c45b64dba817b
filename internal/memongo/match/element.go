package match

import (
	"errors"
	"regexp"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// ElementMatcher is a compiled condition for the elements of an array. It can be shared between
// goroutines.
type ElementMatcher struct {
	matches func(v any) bool
}

// Match reports whether an element meets the condition.
func (m *ElementMatcher) Match(v any) (bool, error) { return m.matches(v), nil }

// MatchValue compiles a condition with [CompileElement] and puts it to one element.
func MatchValue(cond, v any) (bool, error) {
	m, err := CompileElement(cond)
	if err != nil {
		return false, err
	}
	return m.Match(v)
}

// CompileElement reads the condition of $pull. Operators and a regular expression are for any
// element, and look into one that is an array; another document is a filter, for elements that
// are documents; and any other value has to be equal.
func CompileElement(cond any) (*ElementMatcher, error) {
	p := parser{place: elementOnly}
	filter, ok := cond.(bson.D)
	switch {
	case ok && (len(filter) == 0 || !isFieldOperator(filter[0].Key)):
		root, err := p.filter(filter)
		return newElement(err, func(v any) bool {
			d, ok := v.(bson.D)
			return ok && root.matches(&state{}, d)
		})
	case !ok && value.BracketOf(cond) != value.Regexes:
		return newElement(nil, func(v any) bool { return value.Equal(v, cond) })
	}
	root, err := p.filter(bson.D{{Key: "", Value: cond}})
	return newElement(err, wrapped("", root))
}

func newElement(err error, matches func(v any) bool) (*ElementMatcher, error) {
	if err != nil {
		return nil, err
	}
	return &ElementMatcher{matches}, nil
}

// wrapped puts a filter to a document that has the value as its only field.
func wrapped(name string, root node) func(v any) bool {
	return func(v any) bool {
		return root.matches(&state{}, bson.D{{Key: name, Value: v}})
	}
}

var identifiers = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)

// CompileArrayFilter reads one of arrayFilters, whose fields all begin with the identifier that
// stands for an element.
func CompileArrayFilter(filter bson.D) (identifier string, m *ElementMatcher, err error) {
	p := parser{place: elementOnly}
	root, err := p.filter(filter)
	if err != nil {
		return "", nil, parsingArrayFilter(err)
	}
	names := fieldNames(filter)
	if len(names) == 0 {
		return "", nil, failedToParse(
			"Cannot use an expression without a top-level field name in arrayFilters")
	}
	for _, name := range names[1:] {
		if name != names[0] {
			return "", nil, parsingArrayFilter(failedToParse(
				"Expected a single top-level field name, found '%s' and '%s'", names[0], name))
		}
	}
	if !identifiers.MatchString(names[0]) {
		return "", nil, parsingArrayFilter(badValue("The top-level field name must be an "+
			"alphanumeric string beginning with a lowercase letter, found '%s'", names[0]))
	}
	return names[0], &ElementMatcher{wrapped(names[0], root)}, nil
}

func parsingArrayFilter(err error) error {
	var refused *mongoerr.Error
	if !errors.As(err, &refused) {
		return err
	}
	return mongoerr.New(refused.Code, "Error parsing array filter :: caused by :: %s",
		refused.Message)
}

// fieldNames returns the first part of every path of a filter that was compiled.
func fieldNames(filter bson.D) (names []string) {
	for _, e := range filter {
		branches, _ := e.Value.(bson.A)
		switch {
		case e.Key == "$and" || e.Key == "$or" || e.Key == "$nor":
			for _, branch := range branches {
				names = append(names, fieldNames(branch.(bson.D))...)
			}
		case !strings.HasPrefix(e.Key, "$"):
			first, _, _ := strings.Cut(e.Key, ".")
			names = append(names, first)
		}
	}
	return names
}
