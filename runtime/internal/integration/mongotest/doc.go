// Package mongotest gives tests a real MongoDB.
//
//	func TestMain(m *testing.M) { mongotest.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		d := mongotest.Start(t, mongotest.Needs{Nodes: 3})
//		db := d.Database(t)
//		…
//	}
//
// # Where the server comes from
//
// The first of these that has what the test needs:
//
//  1. the deployment that FW_MONGO_URI names,
//  2. a mongod binary, on PATH (6.0 or later) or fetched by scripts/mongod,
//  3. a container, where a Docker engine answers.
//
// Where none has it the test is skipped, and the message says what each of them lacks.
// FW_REQUIRE_MONGO=1 makes that a failure, except for a test that needs Docker itself.
//
// # Shared and own deployments
//
// Servers cost a second (one node) to four (three nodes), so a deployment without special
// needs is started once per test binary and shared; [Main] stops it. Tests keep out of each
// other's way by [Deployment.Database], whose name is unique. A test that needs Kill, Own,
// Auth, OplogMB, Standalone, Args or Docker gets a deployment of its own, stopped when the
// test ends. Whatever disturbs others (killing, pausing, stepping down) is refused on a
// shared deployment: it needs Kill.
//
// The servers die with the test binary on Linux, however it ends.
package mongotest
