// Package storage is the engine of the in-process MongoDB: collections, snapshots, transactions,
// unique and TTL indexes, and the oplog.
//
// The data is one immutable tree. A write makes a new tree that shares what it did not change, so
// a [View] is a pointer to a tree: reading never blocks and never changes under the reader, and
// what no view holds is the garbage collector's.
//
// # Writing
//
// A [Statement] commits each document's change by itself, with a cluster time of its own. A [Txn]
// collects changes on its snapshot and commits them together, at one cluster time. The first
// updater wins: what an open transaction has written is locked until it ends. Another transaction
// that meets the lock, or a document that changed after its snapshot, gets 112 WriteConflict and
// must be aborted by the caller. A statement gets a [Busy], waits for its Done, and is repeated.
//
// # Time
//
// Cluster times increase strictly, also where the clock steps back. Everything that waits does so
// on channels and timers, so an engine made inside a bubble of testing/synctest runs in its time.
//
// # What it is not
//
// It keeps nothing on disk, plans no queries and scans collections in the order of insertion. It
// is a test double.
package storage
