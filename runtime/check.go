package fw

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fwgen/fwgen/runtime/internal/preflight"
)

// server is what the checks found out about the deployment that is watched.
type server struct {
	deployment string // its identity; "" unknown
}

// poolReserve is how many connections state and handlers should have beside the streams.
const poolReserve = 10

// check makes sure that the servers are there, can serve change streams, and let the user do what
// the streams need. What it only has a look at goes on beside the streams, as one of notices, until
// noticing ends.
func (a *App) check(ctx, noticing context.Context, notices *sync.WaitGroup) (server, error) {
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	deployment, err := preflight.Reach(bounded, a.config.Client)
	if err != nil {
		return server{}, err
	}
	a.noticePool(noticing, notices)
	if err := preflight.Privileges(bounded, a.config.Client, a.watched()); err != nil {
		return server{}, err
	}
	if err := a.checkCollections(bounded); err != nil {
		return server{}, err
	}
	if a.config.StateClient != a.config.Client {
		if _, err := preflight.Reach(bounded, a.config.StateClient); err != nil {
			return server{}, fmt.Errorf("Config.StateClient: %w", err)
		}
	}
	if err := preflight.Privileges(bounded, a.config.StateClient, a.kept()); err != nil {
		return server{}, err
	}
	return server{deployment}, nil
}

// watched is what the user of Client needs.
func (a *App) watched() []preflight.Need {
	var needs []preflight.Need
	for _, d := range a.here() {
		needs = append(needs, preflight.Need{
			Database: d.Database, Collection: d.Collections[0], Actions: preflight.Watching,
		})
	}
	return needs
}

// kept is what the user of StateClient needs: to announce this process, and what keeping the state
// takes where that is in MongoDB.
func (a *App) kept() []preflight.Need {
	need := func(collection string, actions []string) preflight.Need {
		return preflight.Need{
			Database: a.config.StateDatabase, Collection: collection, Actions: actions,
		}
	}
	needs := []preflight.Need{need(a.config.Prefix+"_instances", preflight.Announcing)}
	if a.config.Leases == a.state.Leases() {
		needs = append(needs, need(a.config.Prefix+"_locks", preflight.Following))
	}
	if a.config.Checkpoints == a.state.Checkpoints() {
		needs = append(needs, need(a.config.Prefix+"_checkpoints", preflight.Keeping))
	}
	if a.config.DeadLetters == a.state.DeadLetters() {
		for _, d := range a.here() {
			if d.DLQ.Enabled {
				needs = append(needs, need(d.DLQ.Collection, preflight.Keeping))
			}
		}
	}
	return needs
}

// here returns the streams that run in this process.
func (a *App) here() []*deployed {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.streams), func(d *deployed) bool {
		return d.Disabled || d.excluded
	})
}

// noticePool logs a pool that is too small for the streams of this process. To find out takes a
// quarter of a second, which the streams do not wait for.
func (a *App) noticePool(ctx context.Context, notices *sync.WaitGroup) {
	streams := len(a.here())
	wanted := streams + poolReserve
	bounded, cancel := context.WithTimeout(ctx, checkTimeout)
	lent := preflight.Pool(bounded, a.config.Client, wanted)
	notices.Go(func() {
		defer cancel()
		if lent := lent(); lent < wanted {
			a.config.Logger.Warn("the connection pool is small: each stream keeps one connection, "+
				"and state and handlers need some; raise maxPoolSize, or set Config.StateClient",
				"streams", streams, "pool", lent, "recommended", wanted)
		}
	})
}

// checkCollections refuses what has no change stream. A collection that does not exist may be
// misspelt, and is logged.
func (a *App) checkCollections(ctx context.Context) error {
	for _, d := range a.here() {
		name := d.Collections[0]
		found := preflight.Collection(ctx, a.config.Client.Database(d.Database), name)
		switch found.Kind {
		case "view", "timeseries":
			return fmt.Errorf("stream %s: %s.%s is a %s, which has no change stream; watch a "+
				"collection", d.Name, d.Database, name, found.Kind)
		case "":
			a.config.Logger.Info("the collection does not exist yet; the stream waits for it",
				"stream", d.Name, "collection", d.Database+"."+name,
				"near", strings.Join(found.Near, ", "))
		}
	}
	return nil
}

// excludes reports whether Only and Except keep a stream from running in this process.
func (a *App) excludes(stream string) bool {
	if len(a.config.Only) > 0 && !slices.Contains(a.config.Only, stream) {
		return true
	}
	return slices.Contains(a.config.Except, stream)
}
