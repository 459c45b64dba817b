package integration

import (
	"testing"

	"github.com/fwgen/fwgen/internal/memongo/conformance"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// The suite that the in-process server is held to, on the server that it is held to.
func TestRealServerConformsToTheSuite(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{
		TestCommands: true,
		// Set later it would be heeded after the first minute.
		Args: []string{"--setParameter", "ttlMonitorSleepSecs=1"},
	})
	conformance.Run(t, conformance.Server{
		Name:   "a real server",
		Client: d.Client,
		Has: conformance.Features{
			TestCommands: true,
			TTLMonitor:   true,
			Views:        true,
			Capped:       true,
			Validators:   true,
		},
	})
}

func TestRealServerWithTheSplitStageConformsToTheSuite(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t, mongotest.Needs{TestCommands: true, SplitStage: true, Own: true})
	conformance.Run(t, conformance.Server{
		Name:   "a real server with the split stage",
		Client: d.Client,
		Has:    conformance.Features{TestCommands: true, Split: true},
		Only:   conformance.Features{Split: true},
	})
}
