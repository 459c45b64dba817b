package layout_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/cli"
	fw "github.com/fwgen/fwgen/runtime"
)

// badValues are faults, as a directive says them and as a descriptor does.
var badValues = []struct {
	name       string
	changes    string // keys of changestream, after collection=orders unless they name one
	more       string // a second directive
	descriptor func(*fw.Stream)
}{
	{"collection with a dollar", "collection=a$b", "", collection("a$b")},
	{"collection of the system", "collection=system.profile", "", collection("system.profile")},
	{"collection beginning with a dot", "collection=.a", "", collection(".a")},
	{"collection too long", "collection=" + strings.Repeat("x", 236), "",
		collection(strings.Repeat("x", 236))},
	{"several collections", "collection=a,b name=ab", "",
		func(s *fw.Stream) { s.Name, s.Collections = "ab", []string{"a", "b"} }},
	{"database with a dot", "database=a.b", "", func(s *fw.Stream) { s.Database = "a.b" }},
	{"database of the server", "database=admin", "", func(s *fw.Stream) { s.Database = "admin" }},
	{"database too long", "database=" + strings.Repeat("x", 64), "",
		func(s *fw.Stream) { s.Database = strings.Repeat("x", 64) }},
	{"name with a slash", "name=a/b", "", func(s *fw.Stream) { s.Name = "a/b" }},
	{"name with a hash", "name=a#b", "", func(s *fw.Stream) { s.Name = "a#b" }},
	{"mode unknown", "mode=single", "", func(s *fw.Stream) { s.Mode = "single" }},
	{"mode not there yet", "mode=partitioned", "", func(s *fw.Stream) { s.Mode = fw.Partitioned }},
	{"fulldocument unknown", "fulldocument=on", "", func(s *fw.Stream) { s.FullDocument = "on" }},
	{"fulldocument not there yet", "fulldocument=required", "",
		func(s *fw.Stream) { s.FullDocument = "required" }},
	{"before not there yet", "before=required", "", func(s *fw.Stream) { s.Before = "required" }},
	{"workers not there yet", "workers=4", "", func(s *fw.Stream) { s.Workers = 4 }},
	{"key not there yet", "key=customer", "", func(s *fw.Stream) { s.Key = "customer" }},
	{"oversize not there yet", "oversize=skip", "", func(s *fw.Stream) { s.Oversize = "skip" }},
	{"on_rename not there yet", "on_rename=follow", "", func(s *fw.Stream) { s.OnRename = "follow" }},
	{"retry negative", "retry=-1", "", func(s *fw.Stream) { s.Retry.Attempts = -1 }},
	{"window negative", "window=-1", "", func(s *fw.Stream) { s.Window = -1 }},
	{"timeout negative", "timeout=-1s", "", func(s *fw.Stream) { s.Timeout = -time.Second }},
	{"exhausted unknown", "exhausted=drop", "", func(s *fw.Stream) { s.Exhausted = "drop" }},
	{"exhausted beside dlq", "exhausted=skip dlq", "",
		func(s *fw.Stream) { s.Exhausted, s.DLQ.Enabled = "skip", true }},
	{"initial negative", "", "retry initial=-1s", func(s *fw.Stream) { s.Retry.Initial = -1 }},
	{"max below initial", "", "retry initial=2s max=1s",
		func(s *fw.Stream) { s.Retry.Initial, s.Retry.Max = 2*time.Second, time.Second }},
	{"initial above the default max", "", "retry initial=31s",
		func(s *fw.Stream) { s.Retry.Initial = 31 * time.Second }},
	{"multiplier too small", "", "retry multiplier=0.5",
		func(s *fw.Stream) { s.Retry.Multiplier = 0.5 }},
	{"jitter too large", "", "retry jitter=101%", func(s *fw.Stream) { s.Retry.Jitter = 1.01 }},
	{"dlq collection with a dollar", "", "dlq collection=a$b",
		func(s *fw.Stream) { s.DLQ = fw.DLQPolicy{Enabled: true, Collection: "a$b"} }},
	{"on_failure unknown", "", "dlq on_failure=skip",
		func(s *fw.Stream) { s.DLQ = fw.DLQPolicy{Enabled: true, OnFailure: "skip"} }},
	{"on_failure not there yet", "", "dlq on_failure=drop",
		func(s *fw.Stream) { s.DLQ = fw.DLQPolicy{Enabled: true, OnFailure: "drop"} }},
	{"breaker not there yet", "", "dlq breaker=3",
		func(s *fw.Stream) { s.DLQ = fw.DLQPolicy{Enabled: true, Breaker: 3} }},
	{"every negative", "", "checkpoint every=-1", func(s *fw.Stream) { s.Checkpoint.Every = -1 }},
	{"interval negative", "", "checkpoint interval=-1s",
		func(s *fw.Stream) { s.Checkpoint.Interval = -1 }},
	{"idle negative", "", "checkpoint idle=-1s", func(s *fw.Stream) { s.Checkpoint.Idle = -1 }},
	{"interval too short", "", "checkpoint interval=9ms",
		func(s *fw.Stream) { s.Checkpoint.Interval = 9 * time.Millisecond }},
	{"idle too short", "", "checkpoint idle=1ns", func(s *fw.Stream) { s.Checkpoint.Idle = 1 }},
	{"heartbeat too short", "mode=single_leader", "lease ttl=1s heartbeat=99ms",
		func(s *fw.Stream) {
			s.Mode = fw.SingleLeader
			s.Lease = fw.LeasePolicy{TTL: time.Second, Heartbeat: 99 * time.Millisecond}
		}},
	{"poll too short", "mode=single_leader", "lease poll=1ms",
		func(s *fw.Stream) {
			s.Mode, s.Lease = fw.SingleLeader, fw.LeasePolicy{Poll: time.Millisecond}
		}},
	{"start not there yet", "", "checkpoint start=oldest",
		func(s *fw.Stream) { s.Checkpoint.Start = "oldest" }},
	{"on_history_lost not there yet", "", "checkpoint on_history_lost=now",
		func(s *fw.Stream) { s.Checkpoint.OnHistoryLost = "now" }},
	{"lease without single_leader", "mode=all_instances", "lease ttl=30s heartbeat=5s",
		func(s *fw.Stream) {
			s.Mode = fw.AllInstances
			s.Lease = fw.LeasePolicy{TTL: 30 * time.Second, Heartbeat: 5 * time.Second}
		}},
	{"ttl below three heartbeats", "mode=single_leader", "lease ttl=3s heartbeat=2s",
		func(s *fw.Stream) {
			s.Mode = fw.SingleLeader
			s.Lease = fw.LeasePolicy{TTL: 3 * time.Second, Heartbeat: 2 * time.Second}
		}},
	{"ttl below three default heartbeats", "mode=single_leader", "lease ttl=30s",
		func(s *fw.Stream) {
			s.Mode, s.Lease = fw.SingleLeader, fw.LeasePolicy{TTL: 30 * time.Second}
		}},
	{"poll negative", "mode=single_leader", "lease poll=-1s",
		func(s *fw.Stream) { s.Mode, s.Lease = fw.SingleLeader, fw.LeasePolicy{Poll: -1} }},
	{"priority too high", "mode=single_leader", "lease priority=1000001",
		func(s *fw.Stream) { s.Mode, s.Lease = fw.SingleLeader, fw.LeasePolicy{Priority: 1_000_001} }},
	{"priority too low", "mode=single_leader", "lease priority=-1000001",
		func(s *fw.Stream) { s.Mode, s.Lease = fw.SingleLeader, fw.LeasePolicy{Priority: -1_000_001} }},
	{"priority without single_leader", "", "lease priority=1",
		func(s *fw.Stream) { s.Lease = fw.LeasePolicy{Priority: 1} }},
	{"yield without single_leader", "", "lease yield=5",
		func(s *fw.Stream) { s.Lease = fw.LeasePolicy{Yield: 5} }},
	{"restart attempts negative", "", "restart attempts=-1",
		func(s *fw.Stream) { s.Restart.Attempts = -1 }},
	{"restart max below initial", "", "restart initial=2m",
		func(s *fw.Stream) { s.Restart.Initial = 2 * time.Minute }},
}

func collection(name string) func(*fw.Stream) {
	return func(s *fw.Stream) { s.Collections = []string{name} }
}

// A stream is refused for the same faults, whether a comment or a program describes it.
func TestGeneratorAndRuntimeRefuseTheSameValues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir)
	writeHandler(t, dir, "good", "collection=orders", "")
	for i, bad := range badValues {
		keys := bad.changes
		if !strings.Contains(keys, "collection=") {
			keys = strings.TrimSpace(fmt.Sprintf("collection=orders%d %s", i, keys))
		}
		writeHandler(t, dir, fmt.Sprintf("bad%d", i), keys, bad.more)
	}
	var out bytes.Buffer
	code := cli.Main([]string{"./..."}, cli.Process{
		Dir: dir, Stdout: &out, Stderr: &out, Env: append(os.Environ(), "GOFLAGS=-mod=mod"),
	})
	if code != 1 {
		t.Fatalf("fwgen exits with %d:\n%s", code, out.String())
	}
	if err := good().Validate(); err != nil {
		t.Errorf("the runtime refuses a good stream: %v", err)
	}
	if strings.Contains(out.String(), "good"+string(filepath.Separator)+"handler.go:") {
		t.Errorf("fwgen refuses a good stream:\n%s", out.String())
	}
	for i, bad := range badValues {
		if !strings.Contains(out.String(), fmt.Sprintf("bad%d%chandler.go:", i, filepath.Separator)) {
			t.Errorf("%s: fwgen does not refuse it", bad.name)
		}
		s := good()
		bad.descriptor(&s)
		if err := s.Validate(); err == nil {
			t.Errorf("%s: the runtime does not refuse it", bad.name)
		}
	}
}

func good() fw.Stream {
	return fw.Stream{
		Collections: []string{"orders"},
		Handle: fw.Typed(fw.Handlers[bson.M]{
			Insert: func(context.Context, *fw.Event[bson.M]) error { return errors.New("unused") },
		}),
	}
}

// writeModule makes a module that requires this one.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module "+module, "module example.com/rules", 1)
	text += "\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n"
	write(t, filepath.Join(dir, "go.mod"), text)
	write(t, filepath.Join(dir, "go.sum"), string(sums))
}

func writeHandler(t *testing.T, dir, name, keys, more string) {
	t.Helper()
	if more != "" {
		more = "//fw:" + more + "\n"
	}
	write(t, filepath.Join(dir, name, "handler.go"), `package handler

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
)

//fw:changestream `+keys+"\n"+more+`type Handler struct{}

func (Handler) OnInsert(ctx context.Context, doc bson.M) error { return nil }
`)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
