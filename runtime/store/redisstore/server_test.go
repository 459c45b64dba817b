package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// server is a Redis of its own, which listens on a socket and keeps its data in a directory.
type server struct {
	testing.TB
	path, dir string
	cmd       *exec.Cmd
}

// startServer starts a server that writes each change to its disk. It ends with the test.
func startServer(t testing.TB) *server {
	t.Helper()
	path := binary(t)
	dir, err := os.MkdirTemp("", "fw-redis") // short: a socket's path has 100 characters
	must(t, err)
	s := &server{TB: t, path: path, dir: dir}
	t.Cleanup(func() {
		s.kill()
		_ = os.RemoveAll(dir)
	})
	s.start()
	return s
}

// binary finds the server. Without one the test is skipped, or fails where that is asked for.
func binary(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err == nil {
		return path
	}
	const advice = "no redis-server on PATH: apt-get install redis-server"
	if os.Getenv("FW_REQUIRE_MONGO") == "1" {
		t.Fatal(advice)
	}
	t.Skip(advice)
	return ""
}

func (s *server) start() {
	s.Helper()
	s.cmd = exec.Command(s.path, "--port", "0", "--unixsocket", s.socket(), "--dir", s.dir,
		"--save", "", "--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no")
	log, err := os.Create(filepath.Join(s.dir, "log"))
	must(s, err)
	defer func() { _ = log.Close() }()
	s.cmd.Stdout, s.cmd.Stderr = log, log
	dieWithParent(s.cmd)
	must(s, s.cmd.Start())
	client := s.client()
	eventually(s, func() error { return client.Ping(s.Context()).Err() })
}

func (s *server) socket() string { return filepath.Join(s.dir, "s") }

// kill ends the server at once.
func (s *server) kill() {
	if s.cmd == nil || s.cmd.Process == nil {
		return // it did not start
	}
	s.signal(syscall.SIGKILL)
	_ = s.cmd.Wait() // it was killed
}

func (s *server) signal(sig syscall.Signal) {
	s.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.Errorf("send %s to the server: %v", sig, err)
	}
}

// client returns a client as most users have it: with the defaults.
func (s *server) client() *redis.Client {
	client := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket()})
	s.Cleanup(func() { _ = client.Close() }) // the test may have done so
	return client
}

// dial connects to the server whatever address a client names.
func (s *server) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", s.socket())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until check returns nil.
func eventually(t testing.TB, check func() error) {
	t.Helper()
	const patience = 20 * time.Second
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %v", patience, err)
		}
	}
}

// within is a context for some calls of a test.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// namespace returns a prefix that no other test has.
func namespace(t testing.TB) string { return fmt.Sprintf("{%s}", t.Name()) }
