package mongotest

import (
	"context"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// failOverTimeout bounds the wait for a new primary, which takes two to four seconds.
const failOverTimeout = 60 * time.Second

// Nodes returns the nodes of the deployment, in the order of their start.
func (d *Deployment) Nodes(t testing.TB) []*replset.Node {
	t.Helper()
	return d.processes(t).Nodes
}

// Primary waits until there is one and returns it.
func (d *Deployment) Primary(t testing.TB) *replset.Node {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), failOverTimeout)
	defer cancel()
	node, err := d.processes(t).AwaitReady(ctx)
	if err != nil {
		t.Fatalf("mongotest: primary: %v", err)
	}
	return node
}

// StepDown asks the primary to step down and not to stand again for 20 seconds. It returns
// the new primary once that takes writes.
func (d *Deployment) StepDown(t testing.TB) *replset.Node {
	t.Helper()
	return d.StepDownFor(t, 20*time.Second)
}

// StepDownFor is StepDown with another time, in whole seconds.
func (d *Deployment) StepDownFor(t testing.TB, aside time.Duration) *replset.Node {
	t.Helper()
	set := d.mayDisturb(t, "StepDown")
	if len(set.Nodes) == 1 {
		t.Fatal("mongotest: StepDown needs Nodes: 3: a single node would stay without a primary")
	}
	old := d.Primary(t)
	if err := stepDown(set.NodeURI(old), aside); err != nil {
		t.Fatalf("mongotest: step down %s: %v", old.Addr, err)
	}
	return d.Primary(t)
}

// stepDown repeats the command while no secondary has caught up with the primary. On a client
// of its own: the server closes the connection of whoever asked.
func stepDown(uri string, aside time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), failOverTimeout)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return err
	}
	defer func() { _ = client.Disconnect(ctx) }()
	err = client.Database("admin").RunCommand(ctx, bson.D{
		{Key: "replSetStepDown", Value: int(aside / time.Second)},
		{Key: "secondaryCatchUpPeriodSecs", Value: int(aside / time.Second / 2)},
	}).Err()
	if mongo.IsNetworkError(err) {
		return nil
	}
	return err
}

// KillPrimary kills the primary's process and returns its node, without waiting for another
// primary: that is [Deployment.Primary]'s.
func (d *Deployment) KillPrimary(t testing.TB) *replset.Node {
	t.Helper()
	d.mayDisturb(t, "KillPrimary")
	node := d.Primary(t)
	if err := node.Kill(); err != nil {
		t.Fatalf("mongotest: %v", err)
	}
	return node
}

// Pause stops a node's process as SIGSTOP does: it answers nobody and closes nothing.
func (d *Deployment) Pause(t testing.TB, node *replset.Node) {
	t.Helper()
	d.mayDisturb(t, "Pause")
	if err := node.Pause(); err != nil {
		t.Fatalf("mongotest: %v", err)
	}
}

// Resume lets a paused node go on.
func (d *Deployment) Resume(t testing.TB, node *replset.Node) {
	t.Helper()
	d.mayDisturb(t, "Resume")
	if err := node.Resume(); err != nil {
		t.Fatalf("mongotest: %v", err)
	}
}

// Restart kills the node if it runs, starts it again on its port and data, and waits until
// every living node of the set is primary or secondary.
func (d *Deployment) Restart(t testing.TB, node *replset.Node) {
	t.Helper()
	set := d.mayDisturb(t, "Restart")
	ctx, cancel := context.WithTimeout(context.Background(), failOverTimeout)
	defer cancel()
	if err := node.Restart(ctx); err != nil {
		t.Fatalf("mongotest: %v", err)
	}
	if _, err := set.AwaitReady(ctx); err != nil {
		t.Fatalf("mongotest: after the restart of %s: %v", node.Addr, err)
	}
}

// processes returns the servers, or fails the test where they are not ours.
func (d *Deployment) processes(t testing.TB) *replset.Set {
	t.Helper()
	if d.set == nil {
		t.Fatal("mongotest: this server's processes are not the test's: declare Needs.Kill")
	}
	return d.set
}

func (d *Deployment) mayDisturb(t testing.TB, what string) *replset.Set {
	t.Helper()
	if d.shared {
		t.Fatalf("mongotest: %s on a shared deployment: declare Needs.Kill", what)
	}
	return d.processes(t)
}
