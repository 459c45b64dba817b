// Package spec is the one table of the directive language: every verb, every key, its kind, range,
// default and meaning, and whether this release has the engine for it.
//
// The scanner, the validator, the documentation and editor snippets are all made from it, so an
// option cannot be accepted in one place and forgotten in another. A key whose engine is still to
// come is in the table as well, marked so: using it is an error that says so, never a no-op.
package spec
