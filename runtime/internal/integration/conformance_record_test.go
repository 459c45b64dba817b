//go:build record

package integration

import (
	"testing"

	"github.com/fwgen/fwgen/internal/memongo/conformance"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

const recordings = "../../../internal/memongo/conformance/recorded"

// TestRecordConformance writes into internal/memongo/conformance/recorded what a real server says.
//
//	go test -tags=record -run TestRecordConformance
func TestRecordConformance(t *testing.T) {
	recordConformance(t, mongotest.Needs{TestCommands: true}, conformance.Server{
		Name: "a real server",
		Has:  conformance.Features{TestCommands: true, Views: true, Expanded: true},
	})
}

func TestRecordConformanceOfTheSplitStage(t *testing.T) {
	recordConformance(t, mongotest.Needs{TestCommands: true, SplitStage: true}, conformance.Server{
		Name: "a real server with the split stage",
		Has:  conformance.Features{TestCommands: true, Split: true},
		Only: conformance.Features{Split: true},
	})
}

func recordConformance(t *testing.T, needs mongotest.Needs, server conformance.Server) {
	t.Helper()
	server.Client = mongotest.Start(t, needs).Client
	conformance.Record(t, server, recordings)
}
