// Package update applies updates to documents, as MongoDB 6.0 does.
//
// An update is compiled once from what a client sends: a document of operators, a replacement,
// or a pipeline of stages. Applying it gives the new document and what a change event says about
// it: the description of an update, or that the document was replaced.
//
// It promises the server's results, its errors with their codes, and its descriptions field by
// field in its order. It does not look at collections, indexes or the size of documents.
package update
