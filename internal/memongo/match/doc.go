// Package match decides whether a document matches a query filter, with the answers, errors and
// messages of MongoDB 6.0.
//
// A filter is compiled once, into a tree of nodes. A node that has a path walks it (see path), and
// puts every value that it finds to a test. Nodes are shared and never change; what belongs to one
// match is in a state.
//
// It promises the operators for comparison ($eq $ne $gt $gte $lt $lte $in $nin), logic ($and $or
// $nor $not $expr), fields ($exists $type), text ($regex), arrays ($all $elemMatch $size), bits
// and $mod, besides $comment, $alwaysTrue and $alwaysFalse. What a server has beside them
// ($where, $text, $jsonSchema, $sampleRate, places on a map) is refused by name, and so is what
// package pcre lacks. There are no collations.
package match
