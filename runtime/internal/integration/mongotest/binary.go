package mongotest

import (
	"context"
	"fmt"
	"os"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
)

// fromBinary starts mongod processes. They satisfy everything but Docker.
func fromBinary(needs Needs) (*Deployment, string, error) {
	if needs.Docker {
		return nil, "a mongod binary is no container", nil
	}
	find := replset.FindBinary
	if needs.SplitStage {
		find = replset.FindSplitBinary
	}
	binary, err := find()
	if err != nil {
		return nil, err.Error(), nil
	}
	start := func() (*Deployment, string, error) { return startProcesses(binary, needs) }
	if needs.own() {
		return start()
	}
	return shared.get(fmt.Sprintf("%d nodes of %s", max(1, needs.Nodes), binary), start)
}

func startProcesses(binary string, needs Needs) (*Deployment, string, error) {
	dir, release, err := workingDirectory()
	if err != nil {
		return nil, "", err
	}
	set, err := replset.Start(context.Background(), replset.Options{
		Binary:       binary,
		Dir:          dir,
		Nodes:        needs.Nodes,
		Standalone:   needs.Standalone,
		TestCommands: needs.TestCommands || !needs.own(),
		Auth:         needs.Auth,
		OplogMB:      needs.OplogMB,
		Args:         needs.Args,
	})
	if err != nil {
		release()
		return nil, "", fmt.Errorf("start servers: %w", err)
	}
	stop := func() error {
		defer release()
		return set.Kill()
	}
	return &Deployment{URI: set.URI(), set: set, stop: stop}, "", nil
}

// directoryPattern marks the folders below the system's temporary one that are ours.
const directoryPattern = "fwgen-mongo-*"

// workingDirectory makes a folder for the servers' data. A test binary that is killed cannot
// delete its own, so each one first sweeps what others have left.
func workingDirectory() (dir string, release func(), err error) {
	sweep(os.TempDir())
	dir, err = os.MkdirTemp("", directoryPattern)
	if err != nil {
		return "", nil, fmt.Errorf("make data directory: %w", err)
	}
	unlock, err := claim(dir)
	if err != nil {
		return "", nil, fmt.Errorf("lock data directory: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir); unlock() }, nil
}
