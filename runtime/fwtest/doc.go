// Package fwtest helps applications to test their handlers, without a database installed.
//
// [NewClient] gives a test a MongoDB of its own, inside the process and within a millisecond, and
// the unmodified driver's client of it. Handlers, leases, positions, retries and dead letters then
// run as they do in production:
//
//	func TestOrderIsBilled(t *testing.T) {
//		client := fwtest.NewClient(t)
//		app, _ := fw.New(fw.Config{Client: client, Database: "shop"})
//		_ = app.Add(&orders.Handler{})
//		fwtest.Run(t, app)
//		// write with client, wait with fwtest.Await, look at the result
//	}
//
// [Deliver] is for a handler alone: it lets one change happen and hands its event to the handler,
// attempt by attempt.
//
// # Time
//
// All of it works within a bubble of testing/synctest, where retries, leases and intervals cost no
// time: what waits for a minute takes microseconds. [AdvancePastRetry] goes to the next attempt.
// Outside a bubble everything works as well, and takes the time that it takes.
//
// # What the server is not
//
// It is a test double: it behaves as a MongoDB 6.0 replica set of one node as far as change
// streams, leases, transactions and ordinary commands go, keeps everything in memory, and answers
// with an error that names it to whatever it does not know. A test that passes on it is no proof
// that an index is used or that a query is fast.
//
// The package is meant for tests and examples. Importing it puts the server into a program;
// package fw itself does not import it.
package fwtest
