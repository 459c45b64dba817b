package conformance

import (
	"fmt"
	"time"
)

// expiryChecks are the checks of indexes that let documents expire. They set the pause of the
// server's monitor to a second. A real server heeds that after the pause that it is in, which is
// a minute, so it should be started with it.
func expiryChecks() []check {
	return []check{
		{name: "expiry/documents whose time is over go", uses: monitor, run: expiryDeletes},
		{name: "expiry/what has no time stays", uses: monitor, run: expirySpares},
	}
}

const monitor = "the TTL monitor"

// monitored makes the monitor look every second until the check ends.
func monitored(c *C) {
	c.Helper()
	before := c.Expect(`admin {getParameter: 1, ttlMonitorSleepSecs: 1}`, `{}`)
	c.Expect(`admin {setParameter: 1, ttlMonitorSleepSecs: 1}`, `{}`)
	c.Cleanup(func() {
		c.ctx = cleaning(c)
		c.Expect(fmt.Sprintf(`admin {setParameter: 1, ttlMonitorSleepSecs: %d}`,
			lookup(before, "ttlMonitorSleepSecs")), `{}`)
	})
}

func expiryDeletes(c *C) {
	monitored(c)
	now := time.Now()
	past, soon := now.Add(-time.Hour).UnixMilli(), now.Add(time.Hour).UnixMilli()
	c.Expect(`{createIndexes: 'c', indexes: [{key: {t: 1}, name: 't', expireAfterSeconds: 60}]}`,
		`{}`)
	c.Insert("c", fmt.Sprintf(`[{_id: 1, t: date(%d)}, {_id: 2, t: date(%d)},
		{_id: 3, t: [date(%d), date(%d)]}]`, past, soon, past, soon))
	awaitDocuments(c, `[{_id: 2}]`)
}

func expirySpares(c *C) {
	monitored(c)
	past := time.Now().Add(-time.Hour).UnixMilli()
	c.Expect(`{createIndexes: 'c', indexes: [{key: {t: 1}, name: 't', expireAfterSeconds: 0,
		partialFilterExpression: {on: true}}]}`, `{}`)
	c.Insert("c", fmt.Sprintf(`[{_id: 1, on: true}, {_id: 2, on: true, t: null},
		{_id: 3, on: true, t: 5}, {_id: 4, on: true, t: 'x'}, {_id: 5, t: date(%d)},
		{_id: 6, on: true, t: date(%d)}]`, past, past))
	awaitDocuments(c, `[{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}, {_id: 5}]`)
}

// awaitDocuments waits until the collection has these documents, of which it knows the _ids.
func awaitDocuments(c *C, want string) {
	c.Helper()
	var got any
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		answer := c.Do(`{find: 'c', sort: {_id: 1}, projection: {_id: 1}}`)
		got = lookup(answer, "cursor", "firstBatch")
		if show(got) == show(val(want)) {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-c.Context().Done():
		}
	}
	c.Errorf("%s has not become %s", show(got), show(val(want)))
}
