package simulation

import "time"

// step draws something that goes wrong, or happens in the life of a deployment.
func (d dice) step(at time.Duration, instances int) Step {
	step := Step{At: at, Who: d.IntN(instances)}
	if d.in(2) {
		step.Who = TheLeader
	}
	step.Do = pick(d,
		Fault, Fault, Fault, Fault, Fault, Fault, Restart, Stop, Start, Crash, Crash,
		Replace, Pause, Cut, Wall, Server, StepDown, Toggle, Late, Late, Forget)
	switch step.Do {
	case Start:
		step.Who = d.IntN(instances)
	case Fault:
		d.fault(&step)
	case Crash, Toggle:
		step.For = d.between(100*time.Millisecond, 10*time.Second)
		step.Stream = pick(d, Led, Each)
	case Replace, Pause, Cut:
		step.For = d.between(500*time.Millisecond, 3*TTL)
	case Wall:
		step.For = d.between(-10*TTL, 2*TTL)
	case Server:
		step.For = d.between(0, Heartbeat-100*time.Millisecond)
	case StepDown:
		step.For = d.between(time.Second, 5*time.Second)
	case Late:
		step.Who, step.For = TheLeader, d.between(2*Heartbeat, 3*TTL)
	case Forget:
		step.Who, step.N = Everybody, 1+d.IntN(50)
		if !d.in(3) { // it ends a stream for good: not in every seed
			step.Do, step.Who, step.For = StepDown, Everybody, time.Second
		}
	}
	return step
}

// operate draws what operators do: which instances they prefer, and when they interfere.
func (s *Schedule) operate(d dice) {
	preferences := 1 + 2*d.IntN(2) // none in every other seed
	for range s.Instances {
		s.Priority = append(s.Priority, d.IntN(preferences))
	}
	for range d.IntN(4) {
		step := Step{At: d.between(3*time.Second, duration-time.Second), Do: HandOver, Who: TheLeader}
		if d.in(2) {
			step.Do, step.Stream = Hold, pick(d, Led, Each)
			step.For = d.between(time.Second, 2*TTL)
		}
		s.Steps = append(s.Steps, step)
	}
}

// fault draws what happens to some commands for a time.
func (d dice) fault(step *Step) {
	if d.in(4) {
		step.Who = Everybody
	}
	step.What = pick(d, Leases, Leases, Positions, Positions, Positions, Letters, Letters,
		Reading, Watching, Anything)
	step.How = pick(d, Slow, Refused, Dropped, LostReply, LateReply, Straggling)
	if step.How == Straggling && step.What != Positions && step.What != Leases {
		step.What = Positions
	}
	step.For = d.between(time.Second, 15*time.Second)
	step.Chance = pick(d, 0.1, 0.5, 1)
	switch step.How {
	case Slow, LateReply:
		step.Delay = d.between(50*time.Millisecond, 4*time.Second)
	case Straggling:
		step.Delay = d.between(200*time.Millisecond, 12*time.Second)
	}
}

// Kind is what a command is for.
type Kind string

// The kinds of commands.
const (
	Leases    Kind = "leases"
	Positions Kind = "positions"
	Letters   Kind = "dead letters"
	Reading   Kind = "reading"
	Watching  Kind = "watching leases"
	Anything  Kind = "all commands"
)

// Effect is what happens to a command.
type Effect string

// The effects.
const (
	Slow       Effect = "begin late"
	Refused    Effect = "are refused"
	Dropped    Effect = "never arrive"
	LostReply  Effect = "run and lose their reply"
	LateReply  Effect = "are answered late"
	Straggling Effect = "arrive after their client gave up"
)
