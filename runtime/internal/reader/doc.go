// Package reader reads one change stream: it opens a cursor, hands on what arrives in order, and
// opens again at the reading head when the cursor fails.
//
// One goroutine does it all, since a cursor must not be called from two. It asks the server for
// events with calls that wait at most a second, under contexts that are not cancelled, so that a
// stop leaves no cursor behind on the server; each call has a deadline that only a server which no
// longer answers can reach.
//
// An error is classified by the server's code and the phase it came in, never by text or label; see
// [Classify]. Transient ones are tried again with a backoff that only progress resets. A position
// that is lost, or a collection that is gone for good, ends [Reader.Run] with an [Error] that says
// so: what to do about those is not the reader's to decide.
package reader
