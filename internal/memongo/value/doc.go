// Package value works with BSON values that are held as Go values: it compares them, does
// arithmetic, and reads and changes fields.
//
// A document is a [bson.D], an array a [bson.A], and a value an any that holds exactly one of
// float64, string, bson.D, bson.A, bson.Binary, bson.Undefined, bson.ObjectID, bool,
// bson.DateTime, nil, bson.Regex, bson.DBPointer, bson.JavaScript, bson.Symbol,
// bson.CodeWithScope, int32, bson.Timestamp, int64, bson.Decimal128, bson.MinKey and bson.MaxKey.
// [Decode] makes only these. [Missing] stands for a field that is not there. Any other Go type is
// a mistake in the program, and panics.
//
// Documents and arrays are immutable: functions that change one return a copy.
//
// Not here: collations, and the paths of queries and updates, which look into arrays.
package value
