package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/fwgen/fwgen/internal/load"
)

// patience is how long a person waits without wondering.
const patience = 2 * time.Second

// load loads the packages with the types of those that are annotated.
func (inv *invocation) load(patterns []string) (prog *load.Program, err error) {
	defer inv.waiting()()
	config := load.Config{Dir: inv.Dir, Env: inv.Env, Tags: inv.tags}
	if prog, err = load.Scan(config, patterns...); err != nil {
		return nil, err
	}
	return prog, prog.Types()
}

// waiting says once that packages are being loaded, if that takes long. It returns what to call
// when they are.
func (inv *invocation) waiting() (done func()) {
	limit := cmp.Or(inv.Patience, patience)
	if limit < 0 {
		return func() {}
	}
	said := make(chan struct{})
	timer := time.AfterFunc(limit, func() {
		defer close(said)
		fmt.Fprintln(inv.Stderr, "fwgen: loading packages; the first time compiles what they import")
	})
	return func() {
		if !timer.Stop() {
			<-said
		}
	}
}
