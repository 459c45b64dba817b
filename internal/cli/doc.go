// Package cli is the fwgen command: its flags, its exit codes, and the way of a run from patterns
// to files.
//
// A run goes forward once: package load finds the packages and their directives, package resolve
// understands them, package gen renders files, and package output writes or checks them. Problems
// are collected on the way and printed at the end, all at once (report.go).
//
// Every command is a row in a table (command.go), with its flags and its help. All but the one
// without a name change nothing, except init, which adds a file; they take the same way as far as
// they need, so what check, diff, list and explain say is what generate does.
//
// The exit code is 0 if all is well, 1 if there are problems in the user's code or files, and 2 if
// the command could not do its work.
package cli
