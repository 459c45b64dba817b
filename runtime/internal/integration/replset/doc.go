// Package replset starts real MongoDB servers as child processes: one node or three as a
// replica set, or one standalone node. It is what the test harness (package mongotest) and
// the command behind scripts/mongod have in common.
//
// The servers are throw-away: small caches, no diagnostics, test commands on demand, and a
// data directory that Close deletes. Nothing here is fit to keep data in.
//
// # Life of a node
//
//	Start ──▶ running ⇄ paused (SIGSTOP)
//	            │ ▲
//	       Kill ▼ │ Restart: same port, same data
//	            dead
//
// Ports are taken from below the range of outgoing connections, so that a node which was
// killed finds its port free again.
package replset
