// Package layout holds the rules about the repository as a whole: which package may import
// which, what a user of the runtime inherits, and that what the README shows is true. It has
// tests only.
package layout
