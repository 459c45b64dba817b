package replset

import (
	"errors"
	"fmt"
	"strconv"
)

// Options says what to start. Binary and Dir are required; the zero value of everything else
// is a single-node replica set without test commands.
type Options struct {
	// Binary is the mongod executable, see FindBinary.
	Binary string

	// Dir receives one folder per node. It must exist and is the caller's to delete.
	Dir string

	// Nodes is 1 or 3. Defaults to 1.
	Nodes int

	// Standalone starts one node that is no replica set: change streams and transactions do
	// not exist there.
	Standalone bool

	// TestCommands turns on enableTestCommands, which fail points need.
	TestCommands bool

	// Auth makes the server ask for credentials and creates the user that URI names, with
	// the role root.
	Auth bool

	// OplogMB is the size of the oplog in megabytes; the server accepts 1. Such an oplog rolls
	// over at the next checkpoint, so the interval between checkpoints becomes one second.
	// Defaults to the server's choice.
	OplogMB int

	// Args are further command-line arguments for every node.
	Args []string

	// Detached lets the servers outlive this process. Otherwise they die with it where the
	// system can do that (Linux).
	Detached bool
}

func (o *Options) validate() error {
	if o.Nodes == 0 {
		o.Nodes = 1
	}
	switch {
	case o.Binary == "":
		return errors.New("replset: Options.Binary is empty")
	case o.Dir == "":
		return errors.New("replset: Options.Dir is empty")
	case o.Nodes != 1 && o.Nodes != 3:
		return fmt.Errorf("replset: %d nodes: 1 or 3 can be started", o.Nodes)
	case o.Standalone && o.Nodes != 1:
		return errors.New("replset: a standalone server is one node")
	case o.OplogMB < 0:
		return errors.New("replset: Options.OplogMB is negative")
	}
	return nil
}

// Arguments returns the arguments of mongod that the options ask for, but for those about
// files, ports and authentication. The small cache, and a journal that is not written in
// advance (it would be 300 MB a node), keep three nodes on one machine cheap; nothing about
// the server's answers depends on them.
func (o Options) Arguments() []string {
	args := []string{
		"--nounixsocket",
		"--wiredTigerCacheSizeGB", "0.25",
		"--wiredTigerEngineConfigString", "log=(prealloc=false)",
		"--setParameter", "diagnosticDataCollectionEnabled=false",
	}
	if !o.Standalone {
		args = append(args, "--replSet", Name)
	}
	if o.TestCommands {
		args = append(args, "--setParameter", "enableTestCommands=1")
	}
	if o.OplogMB > 0 {
		args = append(args, "--oplogSize", strconv.Itoa(o.OplogMB), "--syncdelay", "1")
	}
	return append(args, o.Args...)
}
