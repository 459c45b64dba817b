// Package preflight looks, before any stream runs, for what would keep streams from running: a
// server that can't be reached, that is no replica set, or that refuses the user; privileges that
// are missing. Each is one sentence that says what to do.
//
// It also notices what is no error but is probably not meant: a collection that does not exist,
// with names that are near, and a connection pool that is too small.
package preflight
