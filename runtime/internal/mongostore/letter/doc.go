// Package letter lays dead letters out as they are stored, whatever the store.
//
//	{_id: stream/eventId,
//	 streamName, operationType, documentKey, fullDocument, fullDocumentBeforeChange?,
//	 updateDescription?, ns, clusterTime, wallTime, txn?, resumeToken,
//	 error: {type, kind, message, stackTrace}, attempts,
//	 firstAttemptAt, lastAttemptAt, term, instanceId, metadata, truncated?: [field],
//	 status: PENDING | REPLAYING | RESOLVED | DISCARDED,
//	 createdAt, expiresAt | null, history: [last 10 {at, kind, message}]}
//
// # What does not fit
//
// A dead letter is never refused for what is in it. A document has at most 16 MB, and an event may
// carry three documents of that size; a field that has no room, or that no document can contain
// (nested too deeply), is stored as null and named in truncated. Fields are kept in the order of
// their worth for a replay. Messages and stacks are cut, and made valid UTF-8.
//
// # Whose bytes
//
// What comes from an event is copied byte by byte: neither a NaN's payload nor invalid UTF-8 nor a
// type that the driver has no name for is changed.
package letter
