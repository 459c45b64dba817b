package spec_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/spec"
)

// options calls f for every option of the table with the name of its verb.
func options(f func(verb string, o *spec.Option)) {
	for _, v := range spec.Verbs {
		for _, o := range v.Keys {
			f(v.Name, o)
		}
		if v.Arg != nil {
			f(v.Name, v.Arg)
		}
	}
}

func TestTheTableIsWellFormed(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	seen := map[string]bool{}
	for _, v := range spec.Verbs {
		if !name.MatchString(v.Name) || v.Doc == "" || seen[v.Name] {
			t.Errorf("verb %q: bad or repeated name, or no doc", v.Name)
		}
		seen[v.Name] = true
		if (v.Target == spec.OnMethod) != (len(v.Keys) == 0) {
			t.Errorf("verb %q: a type's verb has keys, a method's has none", v.Name)
		}
		keys := map[string]bool{}
		for _, o := range v.Keys {
			if !name.MatchString(o.Name) || keys[o.Name] {
				t.Errorf("%s.%s: bad or repeated name", v.Name, o.Name)
			}
			keys[o.Name] = true
		}
	}
	options(func(verb string, o *spec.Option) {
		if o.Doc == "" || !strings.HasSuffix(o.Doc, ".") {
			t.Errorf("%s.%s: the doc is missing or no sentence", verb, o.Name)
		}
		if o.Kind == spec.Enum && len(o.Words()) == 0 && !o.Missing {
			t.Errorf("%s.%s: an enum without words", verb, o.Name)
		}
	})
}

// TestDefaultsAndBoundsAreValid also guards the functions that read bounds without checking them.
func TestDefaultsAndBoundsAreValid(t *testing.T) {
	t.Parallel()
	options(func(verb string, o *spec.Option) {
		for _, text := range []string{o.Default, o.Min, o.Max} {
			if text == "" || o.Missing {
				continue
			}
			if _, problem := o.Parse(text); problem != nil {
				t.Errorf("%s.%s: %s: %v", verb, o.Name, text, problem)
			}
		}
	})
}

func TestLookup(t *testing.T) {
	t.Parallel()
	if v := spec.Lookup("retry"); v == nil || v.Lookup("attempts") == nil || v.Lookup("x") != nil {
		t.Errorf("retry.attempts is not found, or retry.x is")
	}
	if spec.Lookup("retries") != nil {
		t.Error("retries is found")
	}
	if names := spec.Names(spec.OnMethod); !slices.Contains(names, "onerror") ||
		slices.Contains(names, "retry") {
		t.Errorf("the verbs for methods are %v", names)
	}
	dlq := spec.Lookup("dlq")
	if slices.Contains(dlq.Available(), "breaker") || !slices.Contains(dlq.Available(), "stack") {
		t.Errorf("the available keys of dlq are %v", dlq.Available())
	}
}
