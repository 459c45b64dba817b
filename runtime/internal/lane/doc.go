// Package lane decides which event is handled when, and who waits while one is retried.
//
// A lane is handed deliveries in the order of the stream and calls a step function until each is
// done. [Serial] handles one event at a time, in order: while one waits for its next attempt,
// everything behind it waits too. A lane never loses a delivery: it is stepped until it is done,
// or left when the lane stops, unsettled.
package lane
