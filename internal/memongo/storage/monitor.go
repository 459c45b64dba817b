package storage

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// SetTTLMonitorInterval changes the time between two searches, the next of which comes after it;
// negative ends them.
func (e *Engine) SetTTLMonitorInterval(d time.Duration) {
	select {
	case e.ttlInterval <- d:
	case <-e.closing:
	}
}

// monitorTTL deletes what has expired, now and then, until the engine closes.
func (e *Engine) monitorTTL(interval time.Duration) {
	for {
		var next <-chan time.Time
		if interval > 0 {
			next = time.After(interval)
		}
		select {
		case <-e.closing:
			return
		case interval = <-e.ttlInterval:
		case <-next:
			e.Expire()
		}
	}
}

// monitorIdleness writes a no-op where nothing has been written since it looked the last time,
// its own no-op included not.
func (e *Engine) monitorIdleness(interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	seen := e.ClusterTime()
	for {
		select {
		case <-e.closing:
			return
		case <-ticker.C:
		}
		if e.ClusterTime() == seen {
			e.Noop("periodic noop")
		}
		seen = e.ClusterTime()
	}
}

// Expire deletes what TTL indexes say has expired by now, as the monitor does, and returns how
// many documents that were. Those that an open transaction has written stay for the next time.
func (e *Engine) Expire() (deleted int) {
	writer := e.Statement(Write{})
	view := e.Latest()
	for _, c := range view.state.collections.all() {
		for _, x := range c.definition.indexes {
			if x.expires == nil {
				continue
			}
			for _, r := range c.records.all() {
				if !x.expired(r.doc, e.clock.now()) {
					continue
				}
				if writer.Delete(c.ns, Record{Doc: r.doc, record: r}) == nil {
					deleted++
				}
			}
		}
	}
	return deleted
}

// expired reports whether any date under the index's field is so far back.
func (x *index) expired(doc bson.D, now time.Time) bool {
	keys, err := x.keys(doc)
	if err != nil {
		return false
	}
	limit := bson.NewDateTimeFromTime(now.Add(-time.Duration(*x.expires) * time.Second))
	for _, key := range keys {
		if date, ok := key.values[0].(bson.DateTime); ok && date <= limit {
			return true
		}
	}
	return false
}
