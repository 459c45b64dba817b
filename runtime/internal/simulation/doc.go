// Package simulation runs whole apps against an in-process server in virtual time, lets everything
// fail that can, and judges what came of it by the promises of the runtime.
//
// A seed draws a [Schedule]: two or three instances of an app with two streams over one collection
// (single_leader and all_instances), a workload, and faults. [Run] plays it inside a bubble of
// testing/synctest: package fw, the driver and the server (internal/memongo) are the real ones;
// only the connections are in memory, and the time is virtual. Then everything heals, the instances
// go on until all is settled and stop. The result is a [Record], and [Judge] holds it against the
// promises, each of which is one [Rule].
//
// # What is played
//
// Workload: inserts, updates, replacements and deletes over some keys, alone and in transactions.
// What a handler does about a change (take long, fail, panic, skip, ask for a dead letter, ignore
// the end of its context …) is a function of the seed, the key and the change.
//
// Faults: commands that are slow, refused, dropped, or whose reply is late or lost, by what they
// are for; a command that reaches the server long after its client has given it up; a network that
// is cut, or that holds everything back both ways for a time; walls that are set, through the
// clock seam; a server's clock that is ahead by less than a heartbeat; step-downs; an oplog that
// forgets; streams that are stopped and started; instances that stop, crash, or are replaced while
// the old one still runs.
//
// Operators: instances of different priority, leaders that are told to hand over, and streams that
// are held for a time.
//
// A crash within one process is this: the network of the incarnation is gone for ever, what it
// does after that instant does not count, and it is cancelled. A process that stands still can't
// be had inside a bubble: a pause holds its network back and sets its wall, while its goroutines
// go on.
//
// # What is repeatable
//
// The same seed plays the same schedule. The interleaving of goroutines that are ready at one
// instant is the scheduler's, and so are jitter and the dice of faults: a failure that hangs on
// them may need several runs of its seed.
package simulation
