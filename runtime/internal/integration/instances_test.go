package integration

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/internal/presence"
	"github.com/fwgen/fwgen/runtime/store"
)

// instanceProcess is a process as it announces itself.
func instanceProcess(name, process string, streams ...string) presence.Process {
	p := presence.Process{
		Instance: store.Instance{Name: name, Process: process, Host: "$host", PID: 7},
		Version:  presence.Version{Main: "v1.0.0", Fwgen: "$fwgen"},
	}
	for _, s := range streams {
		p.Streams = append(p.Streams, presence.Stream{Name: s, Mode: "single_leader"})
	}
	return p
}

func (db *stateDB) announce(t *testing.T, p presence.Process, up, ttl time.Duration) {
	t.Helper()
	must(t, db.store.Instances().Announce(within(t, patience), p, up, ttl))
}

// listed returns what is announced, by id.
func (db *stateDB) listed(t *testing.T) map[string]presence.Listed {
	t.Helper()
	all, err := db.store.Instances().List(within(t, patience))
	must(t, err)
	byID := map[string]presence.Listed{}
	for _, l := range all {
		byID[l.ID()] = l
	}
	return byID
}

func (db *stateDB) otherLive(t *testing.T, id, stream string) bool {
	t.Helper()
	live, err := db.store.Instances().OtherLive(within(t, patience), id, stream)
	must(t, err)
	return live
}

func TestAnAnnouncementIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	db := newStateDB(t, mongotest.Needs{})
	p := instanceProcess("$blue", "1", "orders", "$items")
	p.Leads, p.Streams[0].Priority = []string{"$items"}, -2
	p.Disabled, p.Excluded = []string{"$off"}, []string{"letters", "more"}
	p.Stopped = []string{"$items"}
	db.announce(t, p, time.Hour, time.Minute)
	first := db.listed(t)["$blue/1"]
	if fmt.Sprintf("%+v", first.Process) != fmt.Sprintf("%+v", p) {
		t.Errorf("read   %+v\nwritten %+v", first.Process, p)
	}
	if up := first.HeartbeatAt.Sub(first.StartedAt); up != time.Hour || first.TTL != time.Minute ||
		!first.Live() || first.ExpiresIn > time.Minute {
		t.Errorf("read %+v, want that it lives for a minute, and did for an hour", first)
	}
	db.announce(t, p, 2*time.Hour, time.Minute) // what is stored of its beginning stays
	second := db.listed(t)["$blue/1"]
	if !second.StartedAt.Equal(first.StartedAt) || !second.HeartbeatAt.After(first.HeartbeatAt) {
		t.Errorf("read %+v after %+v", second, first)
	}
	db.mustHaveKeysOf(t, "_fw_instances", "$blue/1", "_id instance instance.name instance.host "+
		"instance.pid instance.process version version.main version.fwgen streams leads "+
		"stopped disabled excluded startedAt heartbeatAt expiresAt ttlMs")
}

// A process that was killed is live until its announcement expires by the server's clock, and can
// be read of afterwards.
func TestAProcessIsLiveUntilItsAnnouncementExpires(t *testing.T) {
	t.Parallel()
	db := newStateDB(t, mongotest.Needs{})
	db.announce(t, instanceProcess("a", "1", "orders", "items"), 0, 1500*time.Millisecond)
	db.announce(t, instanceProcess("b", "2", "items"), 0, time.Minute)
	streams := []string{"orders", "items", "letters"}
	listed := slices.Collect(maps.Values(db.listed(t)))
	if got := presence.Nowhere(listed, streams); !slices.Equal(got, []string{"letters"}) {
		t.Errorf("nowhere: %v", got)
	}
	if !db.otherLive(t, "b/2", "orders") || db.otherLive(t, "a/1", "orders") ||
		!db.otherLive(t, "a/1", "items") || db.otherLive(t, "a/1", "letters") {
		t.Error("the wrong ones deploy a stream")
	}
	eventually(t, patience, func() error {
		if a := db.listed(t)["a/1"]; a.Live() {
			return fmt.Errorf("live for %s", a.ExpiresIn)
		}
		return nil
	})
	after := db.listed(t)
	if _, ok := after["a/1"]; !ok || !after["b/2"].Live() {
		t.Errorf("listed are %+v", after)
	}
	listed = slices.Collect(maps.Values(after))
	got := presence.Nowhere(listed, streams)
	if !slices.Equal(got, []string{"orders", "letters"}) {
		t.Errorf("nowhere: %v", got)
	}
	if db.otherLive(t, "b/2", "orders") {
		t.Error("a process that has expired counts as live")
	}
}

func TestAStreamThatIsStoppedRunsNowhereThere(t *testing.T) {
	t.Parallel()
	db := newStateDB(t, mongotest.Needs{})
	p := instanceProcess("a", "1", "orders", "items")
	p.Stopped = []string{"orders"}
	db.announce(t, p, 0, time.Minute)
	if db.otherLive(t, "b/2", "orders") || !db.otherLive(t, "b/2", "items") {
		t.Error("want that only what is not stopped counts as deployed")
	}
	listed := slices.Collect(maps.Values(db.listed(t)))
	got := presence.Nowhere(listed, []string{"orders", "items"})
	if !slices.Equal(got, []string{"orders"}) {
		t.Errorf("nowhere: %v", got)
	}
}

func TestTwoLiveProcessesOfOneNameAreNamesakes(t *testing.T) {
	t.Parallel()
	db := newStateDB(t, mongotest.Needs{})
	named := func() map[string][]presence.Listed {
		listed, err := db.store.Instances().Named(within(t, patience), "a")
		must(t, err)
		return presence.Namesakes(listed)
	}
	db.announce(t, instanceProcess("a", "1"), time.Hour, time.Minute)
	db.announce(t, instanceProcess("b", "1"), time.Hour, time.Minute)
	db.announce(t, instanceProcess("a", "2"), 0, time.Minute)
	if got := named(); len(got) > 0 {
		t.Errorf("namesakes %+v, though the first may have been killed", got)
	}
	eventually(t, patience, func() error { // their clock has milliseconds
		db.announce(t, instanceProcess("a", "1"), time.Hour, time.Minute)
		db.announce(t, instanceProcess("a", "2"), 0, time.Minute)
		if got := named(); len(got["a"]) != 2 || len(got) != 1 {
			return fmt.Errorf("namesakes %+v, want both", got)
		}
		return nil
	})
}

// Of real processes: one that is stopped takes its announcement back, one that is killed leaves it.
func TestProcessesAreAnnouncedUntilTheyEnd(t *testing.T) {
	t.Parallel()
	db := newStateDB(t, mongotest.Needs{})
	must(t, db.CreateCollection(t.Context(), childapp.Collection))
	members := map[string]*process{}
	for _, name := range []string{"stays", "stops", "dies"} {
		cmd, err := childapp.Command(childapp.Config{
			URI: db.deployment.URI, Database: db.Name(), Instance: name, Every: 1, Window: 10,
			Journal: filepath.Join(t.TempDir(), "journal"),
			TTL:     3 * time.Second, Heartbeat: time.Second,
		})
		must(t, err)
		members[name] = launch(t, name, cmd)
	}
	names := func() (names []string) {
		for _, l := range db.listed(t) {
			if l.Live() && len(l.Streams) == 1 && l.Streams[0].Name == childapp.Stream {
				names = append(names, l.Instance.Name)
			}
		}
		slices.Sort(names)
		return names
	}
	eventually(t, patience, func() error {
		if got := names(); len(got) != 3 {
			return fmt.Errorf("announced are %v", got)
		}
		return nil
	})
	members["dies"].kill(t)
	members["stops"].signal(t, syscall.SIGTERM)
	members["stops"].awaitExit(t, patience)
	if got := names(); !slices.Equal(got, []string{"dies", "stays"}) {
		t.Errorf("announced are %v", got)
	}
}
