// Package mongostore keeps leases, checkpoints, dead letters and the announcements of processes in
// MongoDB.
//
// # Promises
//
//   - The server's clock is the only one. Whether a lease is live, a hold is over or a row is to be
//     removed is decided by $$NOW, inside the command that acts on it.
//   - Each change is one command on one document, or one transaction (dead letters). Its conditions
//     are evaluated where the document is written, so no interleaving lies between them.
//   - What was answered as done is on a majority. A write-concern error, a time-out and a lost
//     answer are errors: the outcome is unknown, and the caller repeats the call.
//   - Every call ends by the deadline of its context, or after 10 s where it has none. The server
//     is told the deadline as well (maxTimeMS and wtimeout), so that it does not work on for a
//     caller that is gone.
//   - The client's own settings decide nothing: reads are from the primary, writes go to a
//     majority, values are encoded without its registry, and a session that the context carries is
//     not joined.
//
// # What is not promised
//
//   - $$NOW is the clock of whoever is primary, and does not always move forward over a fail-over.
//     A lease says who should lead; that a stale leader does no harm follows from the terms on
//     the checkpoint.
//   - A time-out does not mean that nothing was written.
//   - [Leases.Watch] may tell of a change twice, and of two changes once, since it looks up the
//     document as it is by then. It never tells of an expiry.
//
// # Stored documents
//
// Leases, in <prefix>_locks. A document is never deleted, since its term must grow for ever:
//
//	{_id: stream, instanceId, term, acquiredAt, heartbeatAt, expiresAt, ttlMs, priority,
//	 instance: {name, host, pid, process},
//	 contender?: {instanceId, priority, expiresAt, instance: {name, host, pid, process}},
//	 hold?: {by, reason, at, until?}, released?: {reason, at}}
//
// The owner is instanceId; it is null when nobody is. A contender asks the owner to step down, and
// counts until its expiresAt. A document that carries only a hold is a lease that was never owned.
//
// Checkpoints, in <prefix>_checkpoints:
//
//	{_id: stream | stream#instance, term, seq, fence, owner, session?: {id, term},
//	 position: {token, kind, clusterTime, eventId?}, scope: {deployment, db, collections, hash},
//	 updatedAt, expiresAt?}
//
// fence is a counter that every dead letter's transaction increments: it makes the transaction
// conflict with a take-over. session is the session of these transactions, see [Checkpoints.Raise].
//
// Announcements, in <prefix>_instances. The server removes a document an hour after its expiresAt;
// until then it tells of a process that was killed:
//
//	{_id: instance/process, instance: {name, host, pid, process}, version: {main, fwgen},
//	 streams: [{name, mode, priority}], leads: [name], stopped: [name],
//	 disabled: [name], excluded: [name],
//	 startedAt, heartbeatAt, expiresAt, ttlMs}
//
// Dead letters, in the collection that a stream names: see package
// [github.com/fwgen/fwgen/runtime/internal/mongostore/letter].
package mongostore
