// Package templates has one builder for each section of a generated file: the header, a handler's
// method, the settings, the dispatch. Each takes what it needs from the model and returns code in
// the order a reviewer reads it.
//
// Imports are written by their chosen names instead of jennifer's own bookkeeping, which knows
// nothing of what a package declares.
package templates
