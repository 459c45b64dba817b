// Package change reads change events as the server sends them: one pass over the elements, one
// copy, and nothing decoded that nobody asked for.
package change
