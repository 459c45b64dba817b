// Package position turns settlements, which come in any order, into a position, which only moves
// forward and never passes an unsettled event.
//
// A [Tracker] holds what the reader delivered, in arrival order: events, which somebody settles,
// and markers (post-batch resume tokens), which settle themselves. The watermark is the token of
// the last entry before the first unsettled one. The tracker is also what bounds memory: it makes
// the reader wait while the window, or the bytes in flight, are full.
package position
