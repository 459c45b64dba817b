package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Settings are those of one stream.
type Settings struct {
	Every, Window  int
	Interval, Idle time.Duration
	Attempts       int
	Timeout        time.Duration
	DeadLetters    bool
	Skip           bool // what is exhausted, else it stalls
}

// TTL, Heartbeat and Poll are those of the lease.
const (
	TTL       = 6 * time.Second
	Heartbeat = 2 * time.Second
	Poll      = 3 * time.Second
)

// Schedule is what a seed plays.
type Schedule struct {
	Seed      uint64
	Instances int
	Priority  []int               // of each instance, for the led stream
	Settings  map[string]Settings // by stream
	Steps     []Step
}

// Action is what a step does.
type Action string

// The actions. Those that end by themselves take the time that their step says.
const (
	Write    Action = "write"              // N changes, in one transaction if Chance is 1
	Start    Action = "start"              // an instance that does not run
	Stop     Action = "stop"               // gracefully
	Restart  Action = "restart"            // gracefully
	Crash    Action = "crash"              // and start again after a time
	Replace  Action = "replace"            // hold the network back, and start another meanwhile
	Pause    Action = "pause"              // hold the network back, and set the wall forward
	Cut      Action = "cut"                // the network
	Wall     Action = "set wall"           // of an instance by a time
	Server   Action = "set server's clock" // ahead by a time
	StepDown Action = "step down"          //
	Fault    Action = "fault"              // of commands
	Forget   Action = "forget oplog"       // all but N entries
	Toggle   Action = "stop stream"        // and start it again after a time
	Late     Action = "late renewals"      // then none, and the server's clock is ahead
	HandOver Action = "hand over"          // of the led stream, by its leader
	Hold     Action = "hold stream"        // and lift the hold after a time
)

// Step is one thing that happens.
type Step struct {
	At     time.Duration
	Do     Action
	Who    int // number of an instance, or one of the roles
	For    time.Duration
	N      int
	Chance float64
	What   Kind   // of commands
	How    Effect // on them
	Delay  time.Duration
	Stream string
}

// The roles that Who can name instead of an instance.
const (
	Everybody = -1
	TheLeader = -2 // of the led stream, at that time
)

func (s Step) String() string {
	text := fmt.Sprintf("%8s  %s", s.At, s.Do)
	switch s.Do {
	case Write:
		text += fmt.Sprintf(" %d", s.N)
		if s.Chance == 1 {
			text += " in a transaction"
		}
		return text
	case Forget:
		return fmt.Sprintf("%s but %d", text, s.N)
	case StepDown:
		return fmt.Sprintf("%s for %s", text, s.For)
	case Server:
		return fmt.Sprintf("%s to +%s", text, s.For)
	case Hold:
		return fmt.Sprintf("%s %s for %s", text, s.Stream, s.For)
	case Start, Stop, Restart, HandOver:
		return text + " " + who(s.Who)
	case Wall:
		return fmt.Sprintf("%s of %s by %s", text, who(s.Who), s.For)
	case Fault:
		text += fmt.Sprintf(": %.0f%% of %s %s", 100*s.Chance, s.What, s.How)
		if s.Delay > 0 {
			text += fmt.Sprintf(" by %s", s.Delay)
		}
	case Toggle:
		text += " " + s.Stream
	}
	return fmt.Sprintf("%s, %s, for %s", text, who(s.Who), s.For)
}

func who(n int) string {
	switch n {
	case Everybody:
		return "everybody"
	case TheLeader:
		return "the leader"
	default:
		return name(n)
	}
}

// name returns the name of an instance.
func name(n int) string { return string(rune('a' + n)) }

func (s Schedule) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d instances of priority %v, ttl %s, heartbeat %s, poll %s\n",
		s.Seed, s.Instances, s.Priority, TTL, Heartbeat, Poll)
	for _, stream := range []string{Led, Each} {
		fmt.Fprintf(&b, "%8s  %+v\n", stream, s.Settings[stream])
	}
	for _, step := range s.Steps {
		fmt.Fprintln(&b, step)
	}
	return b.String()
}

// dice draws what a seed says.
type dice struct{ *rand.Rand }

func newDice(seed uint64, of string) dice {
	salt := uint64(0)
	for _, c := range of {
		salt = salt*131 + uint64(c)
	}
	return dice{rand.New(rand.NewPCG(seed, salt))}
}

func (d dice) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.Int64N(int64(most-least)/1e6+1))*time.Millisecond
}

func (d dice) in(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// duration of the part of a schedule in which things fail.
const duration = 30 * time.Second

// Draw returns the schedule of a seed.
func Draw(seed uint64) Schedule {
	d := newDice(seed, "schedule")
	s := Schedule{Seed: seed, Instances: 2 + d.IntN(2), Settings: map[string]Settings{
		Led: d.settings(true), Each: d.settings(false),
	}}
	for n := range s.Instances {
		s.Steps = append(s.Steps, Step{At: d.between(0, time.Second), Do: Start, Who: n})
	}
	for at := 2 * time.Second; at < duration; at += d.between(200*time.Millisecond, 3*time.Second) {
		write := Step{At: at, Do: Write, N: 1 + d.IntN(5)}
		if d.in(4) {
			write.Chance = 1
		}
		if d.in(8) {
			write.N *= 4
		}
		s.Steps = append(s.Steps, write)
	}
	for at := d.between(2*time.Second, 8*time.Second); at < duration; {
		step := d.step(at, s.Instances)
		s.Steps = append(s.Steps, step)
		at += d.between(100*time.Millisecond, 5*time.Second)
	}
	s.operate(newDice(seed, "operator"))
	slices.SortStableFunc(s.Steps, func(a, b Step) int { return int(a.At - b.At) })
	return s
}

func (d dice) settings(letters bool) Settings {
	s := Settings{
		Every: 3 + d.IntN(15), Window: 10 + d.IntN(40),
		Interval: d.between(100*time.Millisecond, time.Second), Idle: 3 * time.Second,
		Attempts: 1 + d.IntN(3), DeadLetters: letters,
	}
	if d.in(3) {
		s.Timeout = time.Second
	}
	s.Skip = !letters && !d.in(3)
	return s
}
