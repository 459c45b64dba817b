package conformance

import (
	"context"
	"crypto/rand"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

const (
	// patience bounds a check, so that one that hangs fails by its name.
	patience = 30 * time.Second

	// tidyTime bounds what is done after a check.
	tidyTime = 20 * time.Second
)

// Run runs the suite against a server, each check as a subtest of its name.
func Run(t *testing.T, s Server) {
	t.Helper()
	all := checks()
	names := map[string]bool{}
	r := &run{server: s, client: s.Client(t), parts: map[string]*sync.Mutex{}}
	for _, check := range all {
		names[check.name] = true
		if check.uses != "" {
			r.parts[check.uses] = &sync.Mutex{}
		}
	}
	for name := range s.Differences {
		if !names[name] {
			t.Errorf("a difference of %s names %q: there is no such check", s.Name, name)
		}
	}
	for _, check := range all {
		if s.Only == (Features{}) || s.Only.overlap(check.needs) {
			t.Run(check.name, func(t *testing.T) { r.check(t, check) })
		}
	}
}

// run is one run of the suite.
type run struct {
	server Server
	client *mongo.Client
	parts  map[string]*sync.Mutex // what checks use one at a time, by name; the map is fixed
}

func (r *run) check(t *testing.T, check check) {
	if lacking := r.server.Has.lack(check.needs); lacking != "" {
		t.Skipf("%s has no %s", r.server.Name, lacking)
	}
	t.Parallel()
	if part := r.parts[check.uses]; part != nil {
		part.Lock()
		defer part.Unlock()
	}
	reason, differs := r.server.Differences[check.name]
	if !differs {
		guarded(check, r.newC(t, t))
		return
	}
	failure := observe(t, func(watched T) { guarded(check, r.newC(t, watched)) })
	if failure == "" {
		t.Errorf("%s passes, but is listed as a difference (%s): take it off", check.name, reason)
	}
	t.Logf("a standing difference: %s\n%s", reason, failure)
}

// guarded runs a check. One that panics fails, but does not end the others.
func guarded(check check, c *C) {
	defer func() {
		if p := recover(); p != nil {
			c.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	check.run(c)
}

// newC returns what a check works with. Failures go to watched.
func (r *run) newC(t *testing.T, watched T) *C {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	// No deadline: the driver would add maxTimeMS to every command.
	limit := time.AfterFunc(patience, cancel)
	t.Cleanup(func() { limit.Stop() })
	c := &C{
		T:      watched,
		Client: r.client,
		DB:     r.client.Database("conformance_" + strings.ToLower(rand.Text()[:12])),
		Server: r.server,
		ctx:    ctx,
		tb:     t,
	}
	t.Cleanup(func() { drop(t, c.DB) })
	return c
}

func drop(t *testing.T, db *mongo.Database) {
	ctx, cancel := context.WithTimeout(context.Background(), tidyTime)
	defer cancel()
	if err := db.Drop(ctx); err != nil {
		t.Errorf("drop %s: %v", db.Name(), err)
	}
}
