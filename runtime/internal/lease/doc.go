// Package lease elects the one instance that runs a stream.
//
// An [Elector] seeks the lease of one stream in a [store.Leases], calls a function while it leads,
// renews the lease meanwhile, and gives it back when that function has returned. A [Watcher], one
// per App, tells all its electors of changes to leases, so that a released lease is taken over at
// once. Without a working watch everything still happens, by polling and by the stored expiry.
//
// # States
//
//	standby ──granted──▶ leading ──lead returned──▶ releasing ──▶ standby
//	                        │                           ▲
//	                        └──trust ended──▶ draining ─┤ lead returned
//	                                                    ▼
//	                                                 standby, if the lease is another's
//
// Standby: the elector asks for the lease when its stored expiry has passed, when its hold ends,
// when the watch says that it was released or is no longer held, and every poll. The store writes
// nothing for an answer that grants nothing.
//
// A standby of a higher priority than the owner's is its contender: it asks every heartbeat too,
// which announces it in the lease, and takes that back when it stops. Without a working watch it
// looks at least twice a second, writing nothing, whether the lease was released for it.
//
// Leading: lead runs. The lease is renewed every heartbeat, from the start of one round to the
// start of the next. A renewal that fails is repeated for as long as the lease is trusted.
//
// The leader is asked to drain and give the lease back when the stream is held, when it has a
// contender, and by [Leadership.HandOver]. After a hand-over it sits out one ttl. A contender is
// given half of a ttl to one ttl by whoever stepped down for it, unless it leaves before, and a
// second by other standbys.
//
// Whoever handed over because its stream fails, and does so again, is modest for two, four and more
// ttl: it asks nobody to step down, and only looks whether the lease is free.
//
// Draining: the context of lead has ended, and the elector waits for lead to return. Nothing is
// renewed, released or acquired.
//
// Releasing: lead has returned, and the lease is given back with a reason.
//
// # Gates
//
// A stream that runs on every instance has no lease. A [Gate] keeps it from running while it is
// held, and only reads.
//
// # Trust
//
// The server's clock decides when a lease expires. A leader trusts its lease until the start of
// the last confirmed attempt + ttl − heartbeat, on the larger of its monotonic and its wall clock,
// and asks nobody for that: a timer of its own ends the context of lead, also while a store call
// hangs, and the clocks are compared every quarter of a heartbeat, at least every second, and by
// each [Leadership.Trusted]. An answer that comes after the end of trust is discarded.
//
// # Promised
//
//   - No two electors hold trust at once, as far as the servers' clocks agree within a heartbeat.
//   - A term is led once. It is greater than every earlier one of this elector, even if somebody
//     deletes the lease by hand.
//   - An answer that was lost promotes nobody. A lease that turns out to be the elector's own, by
//     an acquisition whose answer was lost, is led after a renewal of it was confirmed. A term that
//     ended here is never led again.
//   - Before lead returned it is not called again, and the lease is neither released nor acquired.
//   - One store call per lease is out at a time, and each is bounded.
//   - After a crash another instance leads within ttl + 1 s; after a release within a fraction of a
//     second where the watch works, else within a poll.
//
// # Not promised
//
//   - That lead stops. Its context ends; what it writes afterwards must be refused by its term.
//   - That two electors never both run lead: one may be draining still. It has no trust.
//   - Anything but the terms, where the servers' clocks differ by more than a heartbeat, or where
//     somebody deletes the lease of a live leader.
//   - That a suspend is noticed if the wall is set back within a few seconds of it.
//   - That Run returns while lead runs, whatever ends. It does return while a store call is out
//     that ignores its context; no other goroutine is left behind.
package lease
