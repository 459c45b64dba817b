// Package pipeline runs aggregation stages, and what find and findAndModify have of them:
// projections and sort orders.
//
// A [Pipeline] is compiled once and can be run often, by several goroutines. It promises the
// stages $match, $project, $set, $addFields, $unset, $replaceRoot, $replaceWith, $redact, $sort,
// $limit, $skip, $count, $group, $sortByCount, $unwind, $lookup, $facet, $sample and $documents
// with the results, errors and messages of MongoDB 6.0. Other stages of a server are refused by
// name; what no server has is 40324, Unrecognized pipeline stage name.
//
// What a server's hash tables put in no order comes in order of appearance here: groups and the
// elements of sets. Everything is kept in memory; there are no collations, indexes or spilling.
//
// Errors carry the message without the prefix that says where the command was when it failed: a
// server puts "PlanExecutor error during aggregation :: caused by :: " before those of Run.
package pipeline
