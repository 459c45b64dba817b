// Package manual is what fwgen can tell about itself: the directives, from the option table, and the
// problems, from the catalog. It writes both for a terminal (fwgen explain) and as pages in
// Markdown (docs/), so that neither can say what the other does not.
package manual
