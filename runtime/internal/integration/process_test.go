package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// process is a process that a test started. It does not outlive the test.
type process struct {
	name   string
	cmd    *exec.Cmd
	input  io.Closer
	output lockedBuffer
	exited chan struct{} // closed after the process is gone
}

// launch starts a process. What it writes is shown if the test fails.
func launch(t testing.TB, name string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{name: name, cmd: cmd, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	input, err := cmd.StdinPipe()
	must(t, err)
	p.input = input
	must(t, cmd.Start())
	go func() {
		_ = cmd.Wait() // the code is looked at in awaitExit
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("process %s wrote:\n%s", p.name, p.output.String())
		}
	})
	return p
}

func (p *process) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		t.Fatalf("send %s to process %s: %v", sig, p.name, err)
	}
}

// kill ends the process at once.
func (p *process) kill(t testing.TB) {
	t.Helper()
	p.signal(t, syscall.SIGKILL)
	<-p.exited
}

// awaitExit waits until the process ended by itself, with exit code 0.
func (p *process) awaitExit(t testing.TB, within time.Duration) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(within):
		p.signal(t, syscall.SIGQUIT) // it writes what its goroutines do
		<-p.exited
		t.Fatalf("process %s still ran after %s", p.name, within)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("process %s ended with code %d", p.name, code)
	}
}

func (p *process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// lockedBuffer takes the output of a process while a test reads it.
type lockedBuffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// pair is two processes that handle one stream, and what was written for them to handle.
type pair struct {
	*testing.T
	db      *mongo.Database
	config  childapp.Config
	written map[string]int
	members map[string]*process // by instance
	stop    chan struct{}       // closed to stop the writer
	wrote   chan error          // the writer's end
}

// newPair starts two processes and a writer.
func newPair(t *testing.T, config childapp.Config) *pair {
	t.Helper()
	d := mongotest.Start(t, mongotest.Needs{Nodes: 3})
	db := d.Database(t)
	config.URI, config.Database = d.URI, db.Name()
	config.Journal = filepath.Join(t.TempDir(), "journal")
	p := &pair{T: t, db: db, config: config, written: map[string]int{},
		members: map[string]*process{}, stop: make(chan struct{}), wrote: make(chan error, 1)}
	must(t, db.CreateCollection(t.Context(), childapp.Collection))
	p.begin("a")
	p.begin("b")
	eventually(p, patience, func() error { // a new stream begins at now, whenever that is
		if checkpointOf(p, db, childapp.Stream).Position.Token == nil {
			return errors.New("no start is stored")
		}
		return nil
	})
	go func() { p.wrote <- p.write() }()
	return p
}

// begin starts a process under an instance name.
func (p *pair) begin(instance string) {
	p.Helper()
	c := p.config
	c.Instance = instance
	cmd, err := childapp.Command(c)
	must(p, err)
	p.members[instance] = launch(p, instance, cmd)
}

// leader waits for a leader of a term above after, and returns its instance.
func (p *pair) leader(after int64) (instance string, term int64) {
	p.Helper()
	eventually(p, patience, func() error {
		l := lockOf(p, p.db, childapp.Stream)
		instance, term = l.Instance.Name, l.Term
		if l.Term <= after || l.InstanceID == "" {
			return fmt.Errorf("nobody leads above term %d: %+v", after, l)
		}
		return nil
	})
	return instance, term
}

// write inserts changes of ten keys, a few at a time, until the pair stops it.
func (p *pair) write() error {
	items := p.db.Collection(childapp.Collection)
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; {
		select {
		case <-p.stop:
			return nil
		case <-tick.C:
		}
		var few []childapp.Item
		for range 1 + rand.IntN(5) {
			few = append(few, p.change(n))
			n++
		}
		if _, err := items.InsertMany(context.Background(), few); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
}

// change makes the next change of one of the keys: most are handled at once, some at the last
// attempt, some never.
func (p *pair) change(n int) childapp.Item {
	key := fmt.Sprintf("key%d", n%10)
	p.written[key]++
	item := childapp.Item{Key: key, Seq: p.written[key], Fails: n%97 == 50}
	if n%31 == 7 {
		item.Flaky = childapp.Attempts - 1
	}
	return item
}

// entries reads the journal.
func (p *pair) entries() []journal.Entry {
	p.Helper()
	entries, err := journal.Read(p.config.Journal)
	must(p, err)
	return entries
}

// awaitEffect waits for the first effect under a term above after.
func (p *pair) awaitEffect(after int64) (first journal.Entry) {
	p.Helper()
	eventually(p, patience, func() error {
		for _, e := range p.entries() {
			if e.Term > after {
				first = e
				return nil
			}
		}
		return fmt.Errorf("no effect above term %d", after)
	})
	return first
}

// settle stops the writer and waits until everything is handled or a dead letter.
func (p *pair) settle() (letters map[journal.Change]bool) {
	p.Helper()
	close(p.stop)
	must(p, <-p.wrote)
	eventually(p, patience, func() error {
		letters = map[journal.Change]bool{}
		for _, l := range deadLettersOf(p, p.db, childapp.Stream) {
			var item childapp.Item
			must(p, bson.Unmarshal(l.FullDocument, &item))
			letters[journal.Change{Key: item.Key, Seq: item.Seq}] = true
		}
		settled := map[journal.Change]bool{}
		for _, e := range p.entries() {
			settled[e.Change()] = true
		}
		want := 0
		for _, n := range p.written {
			want += n
		}
		if got := len(settled) + len(letters); got < want {
			return fmt.Errorf("%d of %d changes are settled", got, want)
		}
		return nil
	})
	return letters
}

// end stops the processes that live, gracefully, and judges the journal.
func (p *pair) end(letters map[journal.Change]bool, stale int) {
	p.Helper()
	for _, member := range p.members {
		if member.alive() {
			member.signal(p, syscall.SIGTERM)
			member.awaitExit(p, patience)
		}
	}
	entries := p.entries()
	for _, fault := range journal.Check(entries, journal.Truth{
		Written: p.written, DeadLetters: letters, Stale: stale,
		Repeats: p.config.Every + p.config.Window,
	}) {
		p.Error(fault)
	}
	if len(letters) == 0 {
		p.Error("there is no dead letter")
	}
	p.Logf("%d effects, %d dead letters, %d terms", len(entries), len(letters),
		entries[len(entries)-1].Term)
}

var pairConfig = childapp.Config{
	TTL: 2 * time.Second, Heartbeat: 500 * time.Millisecond,
	Every: 100, Window: 500, Took: time.Millisecond,
}

func TestKilledLeadersLoseNothing(t *testing.T) {
	t.Parallel()
	p := newPair(t, pairConfig)
	watch := watchState(t, p.db)
	for range 3 {
		leader, term := p.leader(0)
		p.awaitEffect(term - 1)
		time.Sleep(rand.N(time.Second)) // any moment will do
		p.members[leader].kill(t)
		killed := time.Now()
		first := p.awaitEffect(term)
		t.Logf("leader of term %d killed: first effect of term %d after %s, ttl %s", term,
			first.Term, first.At.Sub(killed).Round(time.Millisecond), p.config.TTL)
		p.begin(leader)
	}
	letters := p.settle()
	p.end(letters, 0)
	watch.check(t)
}

// A process that was stopped longer than its lease lasts finds itself replaced. The handler that
// was running cannot be kept from its effect; nothing else may happen under the old term.
func TestStoppedLeaderDoesNoHarm(t *testing.T) {
	t.Parallel()
	p := newPair(t, pairConfig)
	watch := watchState(t, p.db)
	leader, term := p.leader(0)
	p.awaitEffect(term - 1)
	stopped := p.members[leader]
	stopped.signal(t, syscall.SIGSTOP)
	stoppedAt := time.Now()
	first := p.awaitEffect(term)
	t.Logf("leader stopped: first effect of term %d after %s", first.Term,
		first.At.Sub(stoppedAt).Round(time.Millisecond))
	time.Sleep(time.Until(stoppedAt.Add(p.config.TTL + 2*time.Second))) // how long it is stopped
	stopped.signal(t, syscall.SIGCONT)

	// It is of use again: when the other one stops, it leads.
	other := p.members[first.Instance]
	next := first.Term
	eventually(t, patience, func() error {
		if n := bytes.Count([]byte(stopped.output.String()), []byte("state=standby")); n == 0 {
			return fmt.Errorf("the stopped process does not stand by")
		}
		return nil
	})
	other.signal(t, syscall.SIGTERM)
	other.awaitExit(t, patience)
	if again := p.awaitEffect(next); again.Instance != leader {
		t.Errorf("%s leads term %d, want %s", again.Instance, again.Term, leader)
	}
	letters := p.settle()
	p.end(letters, 1)
	watch.check(t)
}
