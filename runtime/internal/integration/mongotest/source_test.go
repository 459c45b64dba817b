package mongotest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
)

func TestServersSayWhatTheyOffer(t *testing.T) {
	t.Setenv(URIVariable, "")
	for _, test := range []struct {
		needs Needs
		want  offer
	}{
		{Needs{Own: true}, offer{nodes: 1}},
		{Needs{Own: true, TestCommands: true}, offer{nodes: 1, testCommands: true}},
		{Needs{Own: true, Auth: true}, offer{nodes: 1, auth: true}},
		{Needs{Nodes: 3}, offer{nodes: 3, testCommands: true}},
		{Needs{Standalone: true}, offer{}},
	} {
		d := Start(t, test.needs)
		got, err := ask(d.URI)
		release := got.release
		got.release = replset.Release{}
		if err != nil || got != test.want || release.Major < 6 {
			t.Errorf("%v: %v %+v, %v, want %+v", test.needs, release, got, err, test.want)
		}
	}
}

func TestServerOfTheURIThatLacksSomethingIsMissing(t *testing.T) {
	full := offer{nodes: 3, testCommands: true, auth: true}
	for _, test := range []struct {
		needs Needs
		offer offer
		lacks bool
	}{
		{Needs{}, offer{nodes: 1}, false},
		{Needs{}, offer{}, true},
		{Needs{Nodes: 3, TestCommands: true, Auth: true}, full, false},
		{Needs{Nodes: 3}, offer{nodes: 1}, true},
		{Needs{TestCommands: true}, offer{nodes: 3}, true},
		{Needs{Auth: true}, offer{nodes: 3}, true},
		{Needs{Kill: true}, full, true},
		{Needs{Own: true}, full, true},
		{Needs{OplogMB: 1}, full, true},
		{Needs{Standalone: true}, full, true},
		{Needs{Args: []string{"--quiet"}}, full, true},
		{Needs{Docker: true}, full, true},
		{Needs{SplitStage: true}, full, true},
		{Needs{SplitStage: true}, offer{nodes: 1, release: replset.Release{Major: 7}}, false},
	} {
		lacks := beyondAnyURI(test.needs) + test.offer.lacks(test.needs)
		if (lacks != "") != test.lacks {
			t.Errorf("%+v of %+v: %q, want lacking: %v", test.needs, test.offer, lacks, test.lacks)
		}
	}
}

func TestSharedDeploymentIsStartedOnceForEachSource(t *testing.T) {
	p := pool{deployments: map[string]*Deployment{}}
	starts := 0
	start := func() (*Deployment, string, error) {
		starts++
		return &Deployment{}, "", nil
	}
	nothing := func() (*Deployment, string, error) { return nil, "nothing there", nil }
	if d, lacks, _ := p.get("a", nothing); d != nil || lacks != "nothing there" {
		t.Errorf("got %v, %q from nothing", d, lacks)
	}
	first, _, _ := p.get("a", start)
	again, _, _ := p.get("a", start)
	other, _, _ := p.get("b", start)
	if first != again || first == other || starts != 2 || !first.shared {
		t.Errorf("%p %p %p, %d starts, shared: %v", first, again, other, starts, first.shared)
	}
}

func TestURIThatCannotBeReachedIsAnError(t *testing.T) {
	_, err := ask("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100&directConnection=true")
	if err == nil {
		t.Error("no error")
	}
}

func TestMissingServerSkipsOrFailsByName(t *testing.T) {
	for _, test := range []struct {
		needs   Needs
		require string
		want    string
	}{
		{Needs{}, "", "skip: needs a replica set: a; b"},
		{Needs{Nodes: 3, Kill: true}, "0",
			"skip: needs a replica set of three nodes, processes it may kill: a; b"},
		{Needs{TestCommands: true}, "1", "fail: needs a replica set, test commands: a; b"},
		{Needs{Docker: true}, "1", "skip: needs Docker: a; b"},
	} {
		t.Setenv(RequireVariable, test.require)
		var said recorder
		missing(&said, test.needs, []string{"a", "b"})
		if !strings.HasPrefix(said.text, test.want) {
			t.Errorf("%+v, %s=%s: %q, want %q",
				test.needs, RequireVariable, test.require, said.text, test.want)
		}
	}
}

// recorder is a test that says how it ended first.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Helper() {}

func (r *recorder) Skip(args ...any) { r.end("skip: " + fmt.Sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.end("fail: " + fmt.Sprintf(format, args...))
}

func (r *recorder) end(how string) {
	if r.text == "" {
		r.text = how
	}
}

func TestSweepDeletesWhatHasLostItsOwner(t *testing.T) {
	root := t.TempDir()
	for _, test := range []struct {
		name  string
		age   time.Duration
		owned bool
		stays bool
	}{
		{"fwgen-mongo-orphan", time.Hour, false, false},
		{"fwgen-mongo-owned", time.Hour, true, true},
		{"fwgen-mongo-young", 0, false, true},
		{"somebody-elses", time.Hour, false, true},
	} {
		dir := filepath.Join(root, test.name)
		if err := os.MkdirAll(filepath.Join(dir, "node0"), 0o700); err != nil {
			t.Fatal(err)
		}
		if test.owned {
			unlock, err := claim(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer unlock()
		}
		then := time.Now().Add(-test.age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
		sweep(root)
		if _, err := os.Stat(dir); (err == nil) != test.stays {
			t.Errorf("%s: %v, want staying: %v", test.name, err, test.stays)
		}
	}
}

func TestFailPointsOfTwoTestsWaitForEachOther(t *testing.T) {
	var points failPoints
	points.acquire(t, "failCommand")
	points.acquire(t, "failCommand") // the same test may change it
	other := &recorder{}
	held := points.tryAcquire(other, "failCommand")
	if held == nil || held.test != t {
		t.Fatalf("another test got the fail point: %+v", held)
	}
	if points.tryAcquire(other, "another") != nil {
		t.Error("another fail point is held, too")
	}
	points.release("failCommand")
	select {
	case <-held.freed:
		t.Fatal("free after the first of two releases")
	default:
	}
	points.release("failCommand")
	<-held.freed
	if points.tryAcquire(other, "failCommand") != nil {
		t.Error("still held after both releases")
	}
}

func TestUnaimedFailPointIsRefusedOnASharedDeployment(t *testing.T) {
	d := &Deployment{shared: true}
	var said recorder
	func() {
		defer func() { _ = recover() }() // the recorder does not end the call
		d.FailPoint(&said, FailPoint{Name: "failCommand"})
	}()
	if !strings.HasPrefix(said.text, "fail: ") || !strings.Contains(said.text, "Needs.Own") {
		t.Errorf("said %q", said.text)
	}
}
