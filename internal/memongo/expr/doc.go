// Package expr evaluates aggregation expressions.
//
// [Compile] turns an expression into an [Expr] once, and Eval runs it for one document after the
// other. An expression can be shared between goroutines; a [Vars] belongs to one evaluation.
//
// Results have the types, and errors the codes and messages, that MongoDB 6.0 gives. Operators
// that 6.0 has and this package lacks are refused with an error that names them; what no server
// knows is 168, Unrecognized expression. Where all operands are constants, the result is worked
// out by Compile, and so is its error.
//
// It does not promise: the last digit of decimals in transcendental functions (refused), time
// zones that the host does not know, or collations.
package expr
