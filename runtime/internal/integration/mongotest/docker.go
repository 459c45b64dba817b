package mongotest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// image is the server that runs in a container, the latest 6.0, so it has the split stage.
const image = "mongo:6.0"

// fromDocker starts a container with one node. Nodes of a set in several containers would
// need names that the test's machine and the containers resolve alike, and a container's
// process is not the test's to stop.
func fromDocker(needs Needs) (*Deployment, string, error) {
	if needs.Nodes == 3 || needs.Kill || needs.Auth || needs.Standalone {
		return nil, "a container has one node of a replica set, and its process is Docker's", nil
	}
	if err := dockerHealth(); err != nil {
		return nil, "no Docker engine answers", nil
	}
	start := func() (*Deployment, string, error) { return startContainer(needs) }
	if needs.own() {
		return start()
	}
	return shared.get("container", start)
}

func startContainer(needs Needs) (*Deployment, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute) // it may pull
	defer cancel()
	container, err := testcontainers.Run(ctx, image,
		testcontainers.WithExposedPorts("27017/tcp"),
		testcontainers.WithCmd(containerCommand(needs)...),
		testcontainers.WithWaitStrategy(wait.ForLog("Waiting for connections")),
	)
	stop := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		return testcontainers.TerminateContainer(container, testcontainers.StopContext(ctx))
	}
	if err != nil {
		// Most likely it cannot be pulled, which is missing rather than broken.
		return nil, fmt.Sprintf("Docker does not start %s (%v)", image, err), stop()
	}
	addr, err := container.PortEndpoint(ctx, "27017/tcp", "")
	if err == nil {
		err = replset.InitiateRemote(ctx, addr, "127.0.0.1:27017")
	}
	if err != nil {
		return nil, "", errors.Join(err, stop())
	}
	// A direct connection: the set's only member calls itself by its address inside.
	uri := "mongodb://" + addr + "/?directConnection=true"
	return &Deployment{URI: uri, stop: stop}, "", nil
}

func containerCommand(needs Needs) []string {
	args := append([]string{"mongod", "--bind_ip_all"},
		replset.Options{
			TestCommands: needs.TestCommands || !needs.own(),
			OplogMB:      needs.OplogMB,
			Args:         needs.Args,
		}.Arguments()...)
	return args
}

// dockerHealth asks once for the whole test binary.
var dockerHealth = sync.OnceValue(func() (err error) {
	defer func() {
		if p := recover(); p != nil { // testcontainers panics where it finds no engine
			err = fmt.Errorf("look for Docker: %v", p)
		}
	}()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return err
	}
	defer func() { _ = provider.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return provider.Health(ctx)
})
