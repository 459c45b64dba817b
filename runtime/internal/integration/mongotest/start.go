package mongotest

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// RequireVariable is the environment variable that makes a missing server a failure when it is set to 1.
const RequireVariable = "FW_REQUIRE_MONGO"

// source is one place where a server may come from. It returns a deployment, or the reason
// why it has none that satisfies the needs. An error is a source that should have worked.
type source func(Needs) (d *Deployment, lacks string, err error)

// sources in the order in which they are asked.
var sources = []source{fromURI, fromBinary, fromDocker}

// Start returns a deployment that satisfies the needs. Where there is none it skips the test,
// or fails it under FW_REQUIRE_MONGO=1.
func Start(t testing.TB, needs Needs) *Deployment {
	t.Helper()
	d := find(t, needs)
	if !d.shared {
		t.Cleanup(func() {
			if err := d.stop(); err != nil {
				t.Errorf("mongotest: stop: %v", err)
			}
		})
	}
	return d
}

// find asks the sources in order.
func find(t testing.TB, needs Needs) *Deployment {
	t.Helper()
	var lacking []string
	for _, ask := range sources {
		d, lacks, err := ask(needs)
		if err != nil {
			t.Fatalf("mongotest: %v", err)
		}
		if d != nil {
			return d
		}
		lacking = append(lacking, lacks)
	}
	missing(t, needs, lacking)
	return nil
}

// missing skips or fails the test. It does not return.
func missing(t testing.TB, needs Needs, lacking []string) {
	t.Helper()
	message := fmt.Sprintf("needs %s: %s", needs, strings.Join(lacking, "; "))
	if os.Getenv(RequireVariable) == "1" && !needs.Docker {
		t.Fatalf("%s (%s=1 does not let this pass)", message, RequireVariable)
	}
	t.Skip(message)
}

// shared are the deployments that the tests of this binary have in common.
var shared = pool{deployments: map[string]*Deployment{}}

// pool keeps deployments by what they are: the source, and what that was asked for.
type pool struct {
	mu          sync.Mutex
	deployments map[string]*Deployment
}

// get returns the deployment of that name. The first time it calls start, whose results other
// than a deployment are returned and not kept.
func (p *pool) get(name string, start func() (*Deployment, string, error)) (
	*Deployment, string, error,
) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := p.deployments[name]; d != nil {
		return d, "", nil
	}
	d, lacks, err := start()
	if d != nil {
		d.shared = true
		p.deployments[name] = d
	}
	return d, lacks, err
}

// Main runs the tests of a package and stops the shared servers. Call it from TestMain.
func Main(m *testing.M) {
	code := m.Run()
	shared.mu.Lock()
	for _, d := range shared.deployments {
		if err := d.stop(); err != nil {
			fmt.Fprintf(os.Stderr, "mongotest: stop: %v\n", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
