// Package fw runs MongoDB change-stream handlers: who handles which event where, from which
// position, how often it is attempted, and what becomes of it when it fails.
//
// # Handlers
//
// fwgen writes the FWStream method of every struct with a //fw:changestream comment, which makes it
// a [Handler]; a [Stream] can also be built by hand. An [App] runs the handlers that were added:
//
//	app, err := fw.New(fw.Config{Client: client, Database: "shop"})
//	err = app.Add(&orders.OrderHandler{Billing: billing})
//	err = app.Run(ctx) // until ctx ends, which is the graceful stop
//
// # What is guaranteed
//
//   - Nothing is lost. Every event that matches is settled exactly one way: handled, filtered,
//     skipped on purpose, or stored as a dead letter. The stored position never passes an unsettled
//     event. After a crash, events since the last stored position are handled again.
//   - Events are handled in the order of the oplog, also while one is retried.
//   - With [SingleLeader], one instance leads at a time. A leader whose lease ran out stops by its
//     own clock before another may begin, and what it writes to MongoDB afterwards is refused by
//     the term it carries.
//   - An attempt that a stop or a lost lease interrupted is no failure: it consumes no attempt and
//     leaves no dead letter.
//   - A store that fails is tried again, never ignored.
//   - Every stream shows in [App.Status] what it does, since when, and why.
//
// # What is not
//
//   - Exactly-once effects outside MongoDB: use [Event.ID] to recognise repeats and [Event.Term] to
//     refuse a stale leader.
//   - An order across streams.
//   - Events that are older than the server's oplog.
package fw
