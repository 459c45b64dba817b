// Package memongo is a MongoDB server inside the process. It speaks the wire protocol to the
// unmodified driver, over an in-memory connection or loopback TCP.
//
// It is a test double, not a database: nothing is stored on disk, queries scan whole
// collections, and it has one node. It exists so that examples run with nothing installed, so
// that an application's tests run handlers against a real driver within milliseconds, and so
// that leases, retries and failover can be run thousands of times in virtual time.
//
// # What it promises
//
// What it answers is what a mongod 6.0 replica set of one node answers: results, codes, labels,
// cluster times, resume tokens, change events. Package conformance holds the suite that runs
// unchanged on both. Whatever it does not support is an error that names it; nothing is ignored.
//
// # What it does not promise
//
// Users and privileges, sharding, secondaries, rollbacks, compression, TLS, persistence, speed on
// large collections. A majority is reached at once.
//
// # Time
//
// It reads the clock and waits by package time alone, so a server that is started within a bubble
// of testing/synctest lives in virtual time, and so does a client that dials it by
// [Server.DialContext].
//
// # How a command travels
//
//	wire.Read → conn (one command after another) → dispatch (known? fail point? session?)
//	  → a command's file → storage → answer with $clusterTime → wire.Write
//
// Packages below this one, each usable alone: value, mongoerr, expr, match, update, pipeline,
// storage, token, changestream, wire.
package memongo
