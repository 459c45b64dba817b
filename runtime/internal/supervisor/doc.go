// Package supervisor runs one stream: it seeks leadership where the stream wants it, takes over,
// reads, handles and saves while it leads, and gives everything back in order.
//
//	Add ──▶ starting ──▶ standby ⇄ running ──▶ stopped | failed
//
// A session is the time from a take-over to the end of a leadership. It has its own tracker, lane,
// runner and writer, all under one term, and ends in this order: nothing more is taken from the
// reader; the handler that runs is waited for, at most DrainTimeout with a live context; the
// position is saved; the lease is released. What was read and not handled stays unsettled, and
// is read again by whoever leads next.
package supervisor
