package mongotest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// FailPoint is one of the server's fail points, set to some mode.
//
//	mongotest.FailPoint{
//		Name: "failCommand",
//		Mode: bson.D{{Key: "times", Value: 1}},
//		Data: bson.D{
//			{Key: "failCommands", Value: bson.A{"getMore"}},
//			{Key: "errorCode", Value: 11602},
//			{Key: "appName", Value: mongotest.AppName(t)},
//		},
//	}
//
// On a shared deployment the data must name the appName or the namespace it is meant for.
type FailPoint struct {
	// Name is the server's name of the fail point.
	Name string

	// Mode is "alwaysOn" or {times: n}, {skip: n}, {activationProbability: p}. Defaults to
	// "alwaysOn".
	Mode any

	// Data is the fail point's own, see the server's documentation of it.
	Data bson.D

	// Node is where it is set. Defaults to the primary.
	Node *replset.Node
}

// failPoints remembers who uses which fail point. A server has one failCommand, and two tests
// that set it would take it from each other.
type failPoints struct {
	mu      sync.Mutex
	holders map[string]*holder
}

// holder is the test that has a fail point.
type holder struct {
	test  testing.TB
	times int           // how often it was set and not yet turned off
	freed chan struct{} // closed when times is zero again
}

// FailPoint sets a fail point until the test ends or the returned function is called. It waits
// while another test has the same one. Setting it again replaces its mode and data.
func (d *Deployment) FailPoint(t testing.TB, point FailPoint) (off func()) {
	t.Helper()
	if d.shared && !point.aimed() {
		t.Fatalf("mongotest: fail point %s would hit every test of a shared deployment: "+
			"name appName or namespace in Data, or declare Needs.Own", point.Name)
	}
	client, key := d.failPointClient(t, point.Node)
	key = point.Name + " on " + key
	d.points.acquire(t, key)
	if err := configure(client, point); err != nil {
		d.points.release(key)
		t.Fatalf("mongotest: set fail point %s: %v", point.Name, err)
	}
	off = sync.OnceFunc(func() {
		defer d.points.release(key)
		err := configure(client, FailPoint{Name: point.Name, Mode: "off"})
		// The servers of a test's own may be dead by now, and their fail points with them.
		if err != nil && d.shared {
			t.Errorf("mongotest: turn fail point %s off: %v", point.Name, err)
		}
	})
	t.Cleanup(off)
	return off
}

// failPointClient returns a client for exactly one node, as fail points do not follow a
// primary that moves, and a name for that node.
func (d *Deployment) failPointClient(t testing.TB, node *replset.Node) (*mongo.Client, string) {
	t.Helper()
	if d.set == nil {
		return d.Client(t), "the primary"
	}
	if node == nil {
		node = d.Primary(t)
	}
	return d.NodeClient(t, node), node.Addr
}

// aimed reports whether the fail point hits only who is named in it.
func (p FailPoint) aimed() bool {
	return slices.ContainsFunc(p.Data, func(e bson.E) bool {
		return slices.Contains([]string{"appName", "namespace", "nss"}, e.Key)
	})
}

func configure(client *mongo.Client, point FailPoint) error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
	defer cancel()
	mode := point.Mode
	if mode == nil {
		mode = "alwaysOn"
	}
	command := bson.D{
		{Key: "configureFailPoint", Value: point.Name},
		{Key: "mode", Value: mode},
	}
	if point.Data != nil {
		command = append(command, bson.E{Key: "data", Value: point.Data})
	}
	return client.Database("admin").RunCommand(ctx, command).Err()
}

// acquire waits until no other test has the fail point.
func (p *failPoints) acquire(t testing.TB, key string) {
	t.Helper()
	patience := time.NewTimer(2 * time.Minute)
	defer patience.Stop()
	for {
		held := p.tryAcquire(t, key)
		if held == nil {
			return
		}
		select {
		case <-held.freed:
		case <-patience.C:
			t.Fatalf("mongotest: fail point %s: %s still has it", key, held.test.Name())
		}
	}
}

// tryAcquire returns nil, or who has the fail point.
func (p *failPoints) tryAcquire(t testing.TB, key string) *holder {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holders == nil {
		p.holders = map[string]*holder{}
	}
	held := p.holders[key]
	if held != nil && held.test != t {
		return held
	}
	if held == nil {
		held = &holder{test: t, freed: make(chan struct{})}
		p.holders[key] = held
	}
	held.times++
	return nil
}

func (p *failPoints) release(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held := p.holders[key]
	if held.times--; held.times == 0 {
		delete(p.holders, key)
		close(held.freed)
	}
}
