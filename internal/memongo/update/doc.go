// Package update applies updates to documents, as MongoDB 6.0 does.
//
// An update is compiled once from what a client sends: a document of operators, a replacement,
// or a pipeline of stages. Applying it gives the new document and what a change event says about
// it: the description of an update, or that the document was replaced. A document is never
// changed; the new one shares what stayed the same.
//
// Operators become a tree of the paths' components, so that each component is entered once, in
// the server's order. They work on elements, into which a document is opened as far as the paths
// lead, and put on record what they changed. The record gives the description, ordered as the
// server orders its oplog entries: at each level removed fields, changed ones, new ones, and then
// the parts. A pipeline's result is compared with the document instead, and the difference is
// told only if it is smaller than the document, with 15 bytes added for the oplog entry; the
// same holds for each part, without the 15.
//
// It promises the server's results, its errors with their messages, and its descriptions field by
// field in its order: TestUpdatesAreThoseOfAServer asks a real one. It does not look at
// collections, indexes, collations or the size of documents. It differs from a server
//   - in $sort of $push, which keeps the order of equal elements in arrays of more than 16, too;
//   - in paths of more than 255 components, which a server counts in a byte and misunderstands;
//   - where one update changes an array element by two names, 1 and 01: a server (6.0.5) ends.
package update
