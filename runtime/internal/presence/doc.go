// Package presence announces a process among those of its application, and reads what the others
// announce.
//
// # What is announced
//
// One document per process says who it is, which versions it was built from, and which streams it
// deploys: those that run here, or may run here once they are granted a lease. Of these it says
// which the process leads, and which were stopped by hand or have failed: they count as deployed no
// more. Streams that are disabled, or excluded from this process, are listed apart. The stores know
// the document; see package [github.com/fwgen/fwgen/runtime/internal/mongostore].
//
// # Promises
//
//   - One write per [Heartbeat], however many streams there are. A write that fails is tried again
//     after a while, at first sooner than a heartbeat and never more rarely.
//   - Whether a process is live is decided by the clock of the server, against the expiry that its
//     last heartbeat stored. A document that is there says nothing: those of processes that were
//     killed stay for an hour, so that a person can read them.
//   - A process that stops takes its document away, if the server lets it within a second.
//   - It decides nothing about who leads. A stream runs where it is granted a lease, also in a
//     process that could not announce itself, and nothing waits for an announcement. Where streams
//     are to be spread it asks for them to be handed over, by [Config.HandOver].
//
// # What can be told from it
//
// [Nowhere]: which streams no live process deploys. [Namesakes]: which live processes share the
// name of an instance, though positions of all_instances are kept by that name.
// [Announcer.OtherLive]: whether another live process deploys a stream, and so could lead it.
// [Excess]: which streams a process should hand over, so that all lead equally many.
package presence
