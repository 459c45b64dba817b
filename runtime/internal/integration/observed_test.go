package integration

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	fw "github.com/fwgen/fwgen/runtime"
)

// observed is an observer that keeps the facts.
type observed struct {
	mu    sync.Mutex // guards facts
	facts []fw.Fact
}

// Observe implements [fw.Observer].
func (o *observed) Observe(f fw.Fact) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.facts = append(o.facts, f)
}

func (o *observed) all() []fw.Fact {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.facts)
}

// of returns the facts of a type, named without its package.
func (o *observed) of(name string) (facts []fw.Fact) {
	for _, f := range o.all() {
		if factName(f) == name {
			facts = append(facts, f)
		}
	}
	return facts
}

func factName(f fw.Fact) string { return strings.TrimPrefix(fmt.Sprintf("%T", f), "fact.") }
