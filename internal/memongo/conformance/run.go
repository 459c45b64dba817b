package conformance

import (
	"context"
	"crypto/rand"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const (
	// patience bounds a check, so that one that hangs fails by its name.
	patience = 30 * time.Second

	// tidyTime bounds what is done after a check.
	tidyTime = 20 * time.Second
)

// Run runs the suite against a server, each check as a subtest of its name. Checks of a feature
// that the server lacks are left out, and named in the log.
func Run(t *testing.T, s Server) {
	t.Helper()
	all := checks()
	names := map[string]bool{}
	r := &run{server: s, client: s.Client(t), bare: s.Client(t), parts: map[string]*sync.Mutex{}}
	t.Cleanup(func() { r.dropUsed(t) })
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
		if s.Only != (Features{}) && !s.Only.overlap(check.needs) {
			continue
		}
		if lacking := s.Has.lack(check.needs); lacking != "" {
			t.Logf("%s is not for %s, which has no %s", check.name, s.Name, lacking)
			continue
		}
		t.Run(check.name, func(t *testing.T) { r.check(t, check) })
	}
}

// run is one run of the suite.
type run struct {
	server Server
	client *mongo.Client
	bare   *mongo.Client
	parts  map[string]*sync.Mutex // what checks use one at a time, by name; the map is fixed

	mu   sync.Mutex
	used []*mongo.Database // free for checks that leave documents only; guarded by mu
}

func (r *run) check(t *testing.T, check check) {
	t.Parallel()
	if part := r.parts[check.uses]; part != nil {
		part.Lock()
		t.Cleanup(part.Unlock) // after what the check itself cleans up
	}
	reason, differs := r.server.Differences[check.name]
	if !differs {
		guarded(check, r.with(t, t, r.database(t, check.plain)))
		return
	}
	failure := observe(t, func(watched T) {
		guarded(check, r.with(t, watched, r.database(t, check.plain)))
	})
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

// newC returns what a check with a new database works with. Failures go to watched.
func (r *run) newC(t *testing.T, watched T) *C {
	return r.with(t, watched, r.database(t, false))
}

// with returns what a check works with, in a given database.
func (r *run) with(t *testing.T, watched T, db *mongo.Database) *C {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	// No deadline: the driver would add maxTimeMS to every command.
	limit := time.AfterFunc(patience, cancel)
	t.Cleanup(func() { limit.Stop() })
	return &C{
		T:      watched,
		Client: r.client,
		bare:   r.bare,
		DB:     db,
		Server: r.server,
		ctx:    ctx,
		tb:     t,
	}
}

// database returns one that is the check's alone and has no documents. To create a collection and
// to drop it takes a real server longer than most checks, so the plain ones inherit it.
func (r *run) database(t *testing.T, plain bool) *mongo.Database {
	if !plain {
		db := r.newDatabase()
		t.Cleanup(func() { drop(t, db) })
		return db
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	db := r.newDatabase()
	if last := len(r.used) - 1; last >= 0 {
		db, r.used = r.used[last], r.used[:last]
	}
	t.Cleanup(func() { r.inherit(t, db) })
	return db
}

func (r *run) newDatabase() *mongo.Database {
	return r.client.Database("conformance_" + strings.ToLower(rand.Text()[:12]))
}

// inherit leaves a plain check's database to the next one.
func (r *run) inherit(t *testing.T, db *mongo.Database) {
	ctx, cancel := context.WithTimeout(context.Background(), tidyTime)
	defer cancel()
	if _, err := db.Collection("c").DeleteMany(ctx, bson.D{}); err != nil {
		t.Errorf("empty %s: %v", db.Name(), err)
		drop(t, db)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = append(r.used, db)
}

func (r *run) dropUsed(t *testing.T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, db := range r.used {
		drop(t, db)
	}
}

func drop(t *testing.T, db *mongo.Database) {
	ctx, cancel := context.WithTimeout(context.Background(), tidyTime)
	defer cancel()
	if err := db.Drop(ctx); err != nil {
		t.Errorf("drop %s: %v", db.Name(), err)
	}
}
