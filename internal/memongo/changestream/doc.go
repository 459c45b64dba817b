// Package changestream makes change events out of the oplog, as MongoDB 6.0 does.
//
// A [Stream] is what stands behind a cursor whose pipeline begins with $changeStream: it knows its
// scope (a collection, a database, the whole deployment), where it starts, which images its events
// carry, and the user's stages. [Stream.Next] gives a batch with its post-batch resume token.
//
// # Positions
//
// A stream that resumes after an event's token begins to read at the token's time. It drops what
// comes before the event, and the event itself. Where the first event that passes the user's stages
// is a later one, the token is not of this stream, or the stages hide its event: 280. High-water
// marks stand for a time, so any stream can start at one. A position that the oplog has forgotten
// is 286 when the stream begins to read, and 136 when it has been reading.
//
// # The post-batch resume token
//
// Where a batch ends because it is full, it is the last event's token. Where a batch ends because
// there is nothing more, it is that, or the high-water mark of the last entry of the oplog,
// whichever is later: so a stream moves on that sees no events. It never goes back.
//
// # Invalidation
//
// A stream of a collection ends after the collection's drop or rename, and after a rename onto it;
// a stream of a database after dropDatabase; one of the whole deployment never. The last event is
// an invalidate, unless the user's stages hide it: then the stream ends silently.
//
// # Large events
//
// An event above 16 MB and 16 KB is 10334, and the events before it in its batch are lost with it.
// With $changeStreamSplitLargeEvent as the last stage it is split, as 6.0.27 does.
//
// # What it is not
//
// Streams on views, the options showMigrationEvents, showSystemEvents and showRawUpdateDescription
// do not exist.
package changestream
