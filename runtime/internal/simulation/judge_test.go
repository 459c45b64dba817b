package simulation

import (
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// made is a made-up record: two instances, three changes of key k, one led stream. Every call adds
// what comes next, a tenth of a second later.
type made struct {
	*Record
	n    int
	a, b *Life
}

func newMade() *made {
	m := &made{Record: &Record{Schedule: Schedule{Settings: map[string]Settings{
		Led: {Attempts: 2, DeadLetters: true, Interval: time.Second, Every: 10, Window: 10},
	}}}}
	m.a, m.b = &Life{Instance: "a", Number: 1}, &Life{Instance: "b", Number: 1}
	m.Lives = []*Life{m.a, m.b}
	for seq := 1; seq <= 3; seq++ {
		m.Changes = append(m.Changes, Change{Place: place(seq), Op: "insert", Key: "k", Seq: seq})
	}
	return m
}

func place(seq int) Place { return Place{Time: bson.Timestamp{T: uint32(10 + seq), I: 1}} }

func (m *made) now() Moment {
	m.n++
	return Moment{N: m.n, At: time.Duration(m.n) * 100 * time.Millisecond}
}

// state adds a state of the checkpoint: the position is behind change seq.
func (m *made) state(term, seq int64, passed int) *made {
	p := place(passed)
	m.States = append(m.States, State{Checkpoint: Led, Term: term, Seq: seq, Passed: p,
		Token: string(rune('A' + passed)), When: m.now()})
	return m
}

// attempt adds an attempt that ended.
func (m *made) attempt(life *Life, term int64, seq, number int, outcome Outcome) *made {
	a := m.begin(life, term, seq, number)
	a.Outcome, a.Ended = outcome, m.now()
	return m
}

// begin adds an attempt that runs.
func (m *made) begin(life *Life, term int64, seq, number int) *Attempt {
	a := &Attempt{Stream: Led, Life: life, Term: term, Place: place(seq), Key: "k", Seq: seq,
		EventID: place(seq).String(), Number: number, Begun: m.now()}
	m.Attempts = append(m.Attempts, a)
	return a
}

// handled adds attempts that handled changes.
func (m *made) handled(life *Life, term int64, seqs ...int) *made {
	for _, seq := range seqs {
		m.attempt(life, term, seq, 1, Handled)
	}
	return m
}

func (m *made) letter(term int64, seq int) *made {
	m.Letters = append(m.Letters, Letter{Stream: Led, Checkpoint: Led, Place: place(seq),
		EventID: place(seq).String(), Term: term, When: m.now()})
	return m
}

func (m *made) lease(term int64, owner, reason string) *made {
	m.Leases = append(m.Leases, Lease{Stream: Led, Owner: owner, Term: term, Reason: reason,
		When: m.now()})
	return m
}

func (m *made) hold(held bool) *made {
	m.Leases = append(m.Leases, Lease{Stream: Led, Owner: "a", Term: 1, Held: held, When: m.now()})
	return m
}

func (m *made) shows(state string) *made {
	m.Ends = append(m.Ends, End{Life: "a-1", Checkpoint: Led, State: state})
	return m
}

func (m *made) loses(seq int) *made {
	m.Losses = append(m.Losses, Loss{First: place(seq), When: m.now()})
	return m
}

// with does what has no name of its own.
func (m *made) with(do func(m *made)) *made {
	do(m)
	return m
}

func TestEachRuleIsSeenToBeBroken(t *testing.T) {
	t.Parallel()
	broken := map[Rule]bool{}
	for _, test := range []struct {
		name string
		make func(m *made)
		want Rule // "": none is broken
	}{
		{"all is well", func(m *made) {
			m.lease(1, "a", "").state(1, 1, 0).handled(m.a, 1, 1).state(1, 2, 1)
			m.attempt(m.a, 1, 2, 1, Failed).attempt(m.a, 1, 2, 2, Exhausted).letter(1, 2)
			m.attempt(m.a, 1, 3, 1, Skipped).state(1, 3, 3).lease(1, "", "STOPPED")
		}, ""},
		{"take-over repeats what was not saved", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2).with(func(m *made) { m.a.Died = m.now() })
			m.state(2, 1, 0).handled(m.b, 2, 1, 2, 3).state(2, 2, 3)
		}, ""},
		{"crash in a handler", func(m *made) {
			m.state(1, 1, 0).begin(m.a, 1, 1, 1)
			m.a.Died = m.now()
			m.state(2, 1, 0).handled(m.b, 2, 1, 2, 3).state(2, 2, 3)
		}, ""},
		{"position before the handler returned", func(m *made) {
			a := m.state(1, 1, 0).begin(m.a, 1, 1, 1)
			m.state(1, 2, 1)
			a.Outcome, a.Ended = Handled, m.now()
			m.handled(m.a, 1, 2, 3).state(1, 3, 3)
		}, RuleUnsettled},
		{"position over an event that nobody attempted", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2).state(1, 2, 3)
		}, RuleUnsettled},
		{"position over what only an earlier term settled", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2, 3).with(func(m *made) { m.a.Died = m.now() })
			m.state(2, 1, 0).state(2, 2, 3)
		}, RuleUnsettled},
		{"position moves back", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2, 3).state(1, 2, 3).state(1, 3, 2).state(1, 4, 3)
		}, RuleForward},
		{"delayed save of one's own", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2, 3).state(1, 3, 3).state(1, 2, 3)
		}, RuleForward},
		{"save of a stale term", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2, 3).state(2, 1, 0).state(1, 2, 3)
			m.handled(m.b, 2, 1, 2, 3).state(2, 2, 3)
		}, RuleTerm},
		{"dead letter of a stale term", func(m *made) {
			m.state(1, 1, 0).attempt(m.a, 1, 1, 1, Lettered).state(2, 1, 0).letter(1, 1)
			m.handled(m.b, 2, 1, 2, 3).state(2, 2, 3)
		}, RuleTerm},
		{"event before the start is stored", func(m *made) {
			m.handled(m.a, 1, 1).state(1, 1, 0).handled(m.a, 1, 2, 3).state(1, 2, 3)
		}, RuleStart},
		{"retry is overtaken", func(m *made) {
			m.state(1, 1, 0).attempt(m.a, 1, 1, 1, Failed).handled(m.a, 1, 2)
			m.attempt(m.a, 1, 1, 2, Handled).handled(m.a, 1, 3).state(1, 2, 3)
		}, RuleOrder},
		{"event is left out", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 2, 3).state(1, 2, 1)
		}, RuleOrder},
		{"two events at once", func(m *made) {
			a := m.state(1, 1, 0).begin(m.a, 1, 1, 1)
			m.handled(m.a, 1, 2)
			a.Outcome, a.Ended = Handled, m.now()
			m.handled(m.a, 1, 3).state(1, 2, 3)
		}, RuleOrder},
		{"again though it was settled", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 1, 2, 3).state(1, 2, 3)
		}, RuleRepeat},
		{"again though the position has passed", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1).state(1, 2, 1).state(2, 2, 1)
			m.handled(m.b, 2, 1, 2, 3).state(2, 3, 3)
		}, RuleRepeat},
		{"all is repeated after a stop", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2).with(func(m *made) { m.a.Ended = m.now() })
			m.state(2, 1, 0).handled(m.b, 2, 1, 2, 3).state(2, 2, 3)
		}, RuleBound},
		{"much is repeated after a crash", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2).with(func(m *made) {
				m.n += 30
				m.a.Died = m.now()
			})
			m.state(2, 1, 0).handled(m.b, 2, 1, 2, 3).state(2, 2, 3)
		}, RuleBound},
		{"much is repeated after trouble", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2).with(func(m *made) {
				m.n += 30
				m.a.Died = m.now()
				m.Disturbed = []Span{{"a", 0, time.Second}}
			})
			m.state(2, 1, 0).handled(m.b, 2, 1, 2, 3).state(2, 2, 3)
		}, ""},
		{"one term of two", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1).handled(m.b, 1, 1).handled(m.a, 1, 2, 3)
			m.state(1, 2, 3)
		}, RuleLeader},
		{"stale leader begins another", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1).state(2, 1, 0).handled(m.b, 2, 1)
			m.handled(m.a, 1, 2).handled(m.b, 2, 2, 3).state(2, 2, 3)
		}, RuleLeader},
		{"stale leader does not know", func(m *made) {
			a := m.state(1, 1, 0).begin(m.a, 1, 1, 1)
			m.state(2, 1, 0).handled(m.b, 2, 1)
			a.Outcome, a.Ended = Handled, m.now()
			m.handled(m.b, 2, 2, 3).state(2, 2, 3)
		}, RuleLeader},
		{"stale leader knows", func(m *made) {
			a := m.state(1, 1, 0).begin(m.a, 1, 1, 1)
			a.Cancelled = m.now()
			m.state(2, 1, 0).handled(m.b, 2, 1)
			a.Outcome, a.Ended = Handled, m.now()
			m.handled(m.b, 2, 2, 3).state(2, 2, 3)
		}, ""},
		{"two believe to lead", func(m *made) {
			m.Leaders = []Leaders{{Lives: []string{"a", "b"}, Term: 2}}
		}, RuleLeader},
		{"lease goes back", func(m *made) {
			m.lease(2, "a", "").lease(1, "b", "")
		}, RuleLeader},
		{"lease is released under a handler", func(m *made) {
			a := m.state(1, 1, 0).begin(m.a, 1, 1, 1)
			m.lease(1, "", "STOPPED")
			a.Outcome, a.Ended = Handled, m.now()
			m.handled(m.a, 1, 2, 3).state(1, 2, 3)
		}, RuleRelease},
		{"interrupted attempt is counted", func(m *made) {
			m.state(1, 1, 0).attempt(m.a, 1, 1, 1, Interrupted).attempt(m.a, 1, 1, 2, Handled)
			m.handled(m.a, 1, 2, 3).state(1, 2, 3)
		}, RuleInterrupted},
		{"interrupted event is a dead letter", func(m *made) {
			m.state(1, 1, 0).attempt(m.a, 1, 1, 1, Interrupted).letter(1, 1)
			m.state(2, 1, 0).handled(m.b, 2, 1, 2, 3).state(2, 2, 3)
		}, RuleInterrupted},
		{"one attempt too many", func(m *made) {
			m.state(1, 1, 0).attempt(m.a, 1, 1, 1, Failed).attempt(m.a, 1, 1, 2, Failed)
			m.attempt(m.a, 1, 1, 3, Handled).handled(m.a, 1, 2, 3).state(1, 2, 3)
		}, RuleLetter},
		{"dead letter whose answer was lost, on a stream that stalls", func(m *made) {
			m.Schedule.Settings[Led] = Settings{Attempts: 1, Interval: time.Second, Every: 10, Window: 10}
			a := m.state(1, 1, 0).begin(m.a, 1, 1, 1)
			a.Asked = m.now()
			m.letter(1, 1)
			a.Outcome, a.Ended = Exhausted, m.now()
			m.attempt(m.a, 1, 1, 2, Handled).handled(m.a, 1, 2, 3).state(1, 2, 3)
		}, ""},
		{"dead letter after the position", func(m *made) {
			m.state(1, 1, 0).attempt(m.a, 1, 1, 1, Lettered).state(1, 2, 1).letter(1, 1)
			m.handled(m.a, 1, 2, 3).state(1, 3, 3)
		}, RuleLetter},
		{"dead letter that nobody asked for", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1).letter(1, 1).handled(m.a, 1, 2, 3).state(1, 2, 3)
		}, RuleLetter},
		{"not all is settled", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2).state(1, 2, 2).shows("running")
		}, RuleLost},
		{"history is lost", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1).state(1, 2, 1).loses(3).shows("history_lost")
		}, ""},
		{"history is lost, and nobody says so", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1).state(1, 2, 1).loses(3).shows("running")
		}, RuleLost},
		{"history is said to be lost", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2, 3).state(1, 2, 3).shows("history_lost")
		}, RuleEnd},
		{"play is in trouble", func(m *made) { m.Troubles = []string{"it hangs"} }, RuleEnd},
		{"held stream runs on", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1).hold(true)
			m.n += 11
			m.handled(m.a, 1, 2, 3).state(1, 2, 3)
		}, RuleHeld},
		{"held stream runs until it can know, and after the hold", func(m *made) {
			m.state(1, 1, 0).hold(true).handled(m.a, 1, 1)
			m.n += 100
			m.hold(false).handled(m.a, 1, 2, 3).state(1, 2, 3)
		}, ""},
		{"held stream runs on where its leader can't be told", func(m *made) {
			m.Disturbed = []Span{{"a", 0, 10 * time.Second}}
			m.state(1, 1, 0).hold(true)
			m.n += 10 * int(TTL/time.Second)
			m.handled(m.a, 1, 1, 2, 3).state(1, 2, 3)
		}, ""},
		{"held stream runs on after trust", func(m *made) {
			m.Disturbed = []Span{{"a", 0, 10 * time.Second}}
			m.state(1, 1, 0).hold(true)
			m.n += 10*int((TTL+Heartbeat)/time.Second) + 1
			m.handled(m.a, 1, 1, 2, 3).state(1, 2, 3)
		}, RuleHeld},
		{"another than the preferred leads in the end", func(m *made) {
			m.Unpreferred = m.now()
		}, RulePriority},
		{"event that nobody wrote", func(m *made) {
			m.Changes = m.Changes[:2]
			m.state(1, 1, 0).handled(m.a, 1, 1, 2).state(1, 2, 2).attempt(m.b, 2, 3, 1, Handled)
		}, RuleIdentity},
		{"event with another id", func(m *made) {
			m.state(1, 1, 0).handled(m.a, 1, 1, 2, 3).state(1, 2, 3).state(2, 2, 0)
			m.Attempts[2].EventID = "other"
			m.begin(m.b, 2, 3, 1)
		}, RuleIdentity},
	} {
		broken[test.want] = true
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newMade()
			test.make(m)
			wantRule(t, Judge(m.Record), test.want)
		})
	}
	for _, rule := range Rules() {
		if !broken[rule] {
			t.Errorf("no record breaks the rule %q", rule)
		}
	}
}

func wantRule(t *testing.T, found []Violation, want Rule) {
	t.Helper()
	var all []string
	seen := false
	for _, v := range found {
		all = append(all, v.String())
		seen = seen || v.Rule == want
	}
	if want == "" && len(found) > 0 || want != "" && !seen {
		t.Errorf("want %q, found:\n%s", want, strings.Join(all, "\n"))
	}
}
