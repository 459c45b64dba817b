// Package load finds the packages of a run and gives each annotated one its types.
//
// It works in two phases, since most packages of a repository have no directives. [Scan] lists the
// packages that the patterns match, looks through the text of their files and parses those that may
// contain a directive. [Program.Types] then type-checks the annotated packages, and only those,
// from source; everything they import comes from the compiler's export data.
//
// fwgen's own output is hidden while loading. Missing, stale, broken and conflicted output are
// therefore all the same: a package looks as if it had never been generated. Hand-written code that
// needs the output, such as app.Add(&OrderHandler{}), does not compile at that moment, which is
// why a type error is not a problem by itself. Bodies of functions are not checked at all, and an
// error elsewhere is kept with the package for those who meet an invalid type.
package load
