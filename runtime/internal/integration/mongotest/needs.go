package mongotest

import "strings"

// Needs is what a test demands of its server. The zero value is satisfied by any replica set.
type Needs struct {
	// Nodes is the least number of nodes, 1 or 3. Defaults to 1.
	Nodes int

	// TestCommands: the test sets fail points.
	TestCommands bool

	// Kill: the test kills, pauses, restarts or steps down nodes.
	Kill bool

	// Own: the test wants servers that no other test uses.
	Own bool

	// Auth: the server asks for credentials, and the URI's user may do everything.
	Auth bool

	// OplogMB is the wanted size of the oplog in megabytes; with 1 it rolls over within
	// seconds. Zero takes any.
	OplogMB int

	// Standalone: one server that is no replica set.
	Standalone bool

	// SplitStage: the server knows $changeStreamSplitLargeEvent.
	SplitStage bool

	// Docker: the server runs in a container. Without an engine the test is always skipped.
	Docker bool

	// Args are further arguments of mongod.
	Args []string
}

// own reports whether the deployment is the test's own.
func (n Needs) own() bool {
	return n.Own || n.Docker || n.Kill || n.Auth || n.OplogMB > 0 || n.Standalone || len(n.Args) > 0
}

// String lists the needs for a message.
func (n Needs) String() string {
	var needs []string
	add := func(needed bool, name string) {
		if needed {
			needs = append(needs, name)
		}
	}
	add(n.Standalone, "a standalone server")
	add(n.Nodes == 3, "a replica set of three nodes")
	add(!n.Standalone && n.Nodes != 3 && !n.Docker, "a replica set")
	add(n.TestCommands, "test commands")
	add(n.Kill, "processes it may kill")
	add(n.Own && !n.Kill, "servers of its own")
	add(n.Auth, "authentication")
	add(n.OplogMB > 0, "an oplog of a chosen size")
	add(len(n.Args) > 0, "mongod "+strings.Join(n.Args, " "))
	add(n.SplitStage, "a server with $changeStreamSplitLargeEvent")
	add(n.Docker, "Docker")
	return strings.Join(needs, ", ")
}
