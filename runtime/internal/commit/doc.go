// Package commit is the one writer of a stream's stored state: its position and its dead letters,
// one write at a time, all under one term.
//
// The position is due after so many settled events or so much time, whichever is first; a stream
// without events stores how far it has read now and then, so that its position never ages out of
// the oplog. A write whose outcome is unknown is repeated as it was. A write that is refused,
// because a higher term owns the stream or because the checkpoint is gone, ends the leadership.
package commit
