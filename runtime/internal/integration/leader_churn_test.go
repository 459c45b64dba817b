package integration

import (
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// The servers change their primary every five seconds, half of the time because it steps down and
// half because it is killed, for 20 s or FW_CHURN_SECONDS. An election takes some seconds. That is
// less than the one lease is trusted, whose leader has to stay; the other one is lost each time.
func TestLeaderOutlivesTheChurnOfPrimaries(t *testing.T) {
	t.Parallel()
	const every = 5 * time.Second
	churn := time.Duration(fromEnvironment(t, "FW_CHURN_SECONDS", 20)) * time.Second
	d := mongotest.Start(t, mongotest.Needs{Nodes: 3, Kill: true})
	long, short := newChurned(t, d, 15*time.Second), newChurned(t, d, 3*time.Second)
	stepDown := func() { d.StepDownFor(t, every-time.Second) }
	replace := func() {
		killed := d.KillPrimary(t)
		d.Primary(t)
		d.Restart(t, killed)
	}
	var outages times
	for _, disturb := range []func(){stepDown, replace} {
		outages = append(outages, churnFor(churn/2, every, disturb)...)
	}
	measured(t, "primary replaced %d times in %s, each took %s", len(outages), churn, outages)
	for _, c := range []*churned{long, short} {
		_, term := c.leader(0)
		measured(t, "leaderships that changed meanwhile, ttl %s: %d", c.config.TTL, term-c.begun)
		if trusted := c.config.TTL - c.config.Heartbeat; term > c.begun && outages.max() < trusted/2 {
			t.Errorf("ttl %s: the leadership changed, though no outage was long", c.config.TTL)
		}
		c.end(c.settle(), 0)
		c.apart()
		c.watch.check(t)
	}
}

// churned is a pair under load.
type churned struct {
	*pair
	watch *stateWatch
	begun int64 // the term before the churn
}

func newChurned(t *testing.T, d *mongotest.Deployment, ttl time.Duration) *churned {
	t.Helper()
	config := pairConfig
	config.TTL, config.Heartbeat = ttl, time.Second // a renewal fails in every election
	c := &churned{pair: newQuietPair(t, d, config)}
	c.pause = 40 * time.Millisecond
	c.watch = watchState(t, c.db)
	c.beginBoth()
	c.load()
	_, c.begun = c.leader(0)
	return c
}

// churnFor calls disturb again and again, each time so long after the time before. It returns how
// long the calls took.
func churnFor(churn, every time.Duration, disturb func()) (took times) {
	for end := time.Now().Add(churn); time.Now().Before(end); {
		began := time.Now()
		disturb()
		took = append(took, time.Since(began))
		time.Sleep(time.Until(began.Add(every))) // the rhythm of the disturbance
	}
	return took
}
