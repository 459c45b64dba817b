// Package delivery carries one event from the reader to its settlement.
//
// A [Delivery] is the event with what stays with it across attempts. A [Runner] makes one step at a
// time: an attempt and the decision about it, or another try at writing a dead letter. Between the
// steps nothing runs and nothing is held: a lane decides who waits.
//
//	attempt ──▶ handled, filtered ─────────────▶ settled
//	   ▲  └───▶ failed ─▶ decide ─▶ skip ───────▶ settled
//	   │                    ├─▶ dead letter ───▶ written ─▶ settled
//	   │                    ├─▶ leave ─────────▶ unsettled, for whoever reads it next
//	   └── wait ◀───────────┴─▶ retry, stall
package delivery
