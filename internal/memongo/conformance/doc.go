// Package conformance says what a MongoDB server does, in a few hundred checks that run unchanged
// against a real one and against the one in this process. Where the two differ, the real one is
// right: each check was run on it, and expects what it did.
//
// # Checks
//
// A check has a name 'area/what' that does not change, a database of its own, and runs in
// parallel with the others. It gets a [C]: a client that all share, and what a test has. Most are
// scripts, a few commands with the part of the answer that matters, written as the shell writes
// them; see shell.go. Checks of an area are a table in the files that begin with its name.
//
// # Servers
//
// [Run] runs them all against a [Server]. A check that needs a feature that the server lacks is
// skipped. A difference that stands, because it is meant, is listed in Server.Differences with its
// reason. Such a check is run all the same, and has to fail: a list that says more than is true
// fails the test.
//
// Codes and code names of errors are always compared; messages only where people act upon them.
// Times, costs and the texts of explanations are not compared at all.
package conformance
