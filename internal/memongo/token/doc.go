// Package token is the resume tokens of change streams.
//
// A token is a position between two events. It is written as the server writes it: the hex digits
// of a KeyString, an encoding whose bytes sort as the values do. So tokens sort as strings in the
// order of their events, and a client can read the cluster time out of one. In order, a token has
//
//	82 T T T T I I I I    the cluster time
//	2B 02                 the version: 1, or 2 (2B 04) in a stream that splits large events
//	29, 2C 01 00          the kind: a high-water mark, or an event
//	29, 2B 02, 2B 04 …    the place within a transaction: 0, 1, 2 …
//	6E, 6F                whether it is the token of an invalidate
//	5A 10 04 …            the collection's UUID, if it has one (14, null, in version 2)
//	46 … 00               which event: the document key; in version 2 with the operation's type
//	29, 2B 02 …           the fragment of a split event
//	04                    the end
//
// The numeric type of an _id is not in the KeyString: {_id: 1} and {_id: 1.0} have the same one.
// What differs goes beside it as _typeBits, as on a server.
//
// A key with a Decimal128 is encoded in a way of its own: it is unique, and nobody reads it.
package token
