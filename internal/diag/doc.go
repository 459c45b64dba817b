// Package diag holds what fwgen has to say about a user's code: problems with a position, a stable
// code and the way out of them.
//
// A problem is data. Every stage of the generator adds to one [List] and goes on, so that a run
// reports all there is to report; [List.Render] sorts them and prints them in the shape of go vet,
// which every editor understands, with the source line below:
//
//	orders/handler.go:14:42: unknown value "single-leader" for mode [FW1105]
//	   14 | //fw:changestream collection=orders mode=single-leader
//	      |                                          ^^^^^^^^^^^^^ did you mean single_leader?
//	      = valid: all_instances, single_leader
//
// Columns are bytes counted from 1, as in the compiler's messages.
package diag
