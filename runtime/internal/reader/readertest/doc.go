// Package readertest has an oplog in memory, with cursors that behave as the driver's do and check
// how they are used. It works in a testing/synctest bubble.
//
// Cursors lend memory: what an event pointed into is overwritten by the next call. They fail the
// test when they are called after Close, from two goroutines, under a context that has ended, or
// without a deadline where the server would be asked.
package readertest
