// Package wire reads commands from a connection and writes answers to it: OP_MSG, and the one
// OP_QUERY with which drivers introduce themselves to a server that they do not know yet.
//
// The framing is the driver's own package wiremessage. Compressed messages and messages with a
// checksum are refused: a client sends them only if the server has offered it.
package wire
