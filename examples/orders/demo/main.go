// Command demo stages the life of the orders example and judges the outcome, in two parts.
//
// In the first, the example plays a day by itself, on the MongoDB inside its process, which is a
// test double.
//
// In the second, two processes of the example run against a replica set of three real nodes. Orders
// arrive; some of them make trouble. The leader is killed, its successor is stopped, and orders go
// on arriving.
//
// What happens is told with its times. At the end of each part every bill and every dead letter is
// counted, and the exit code is 1 if a count is wrong. Nothing is left behind, also after Ctrl-C.
//
// Run it with make demo. It starts its servers with scripts/mongod, or uses those of MONGODB_URI,
// where it works in a database of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/fwgen/fwgen/examples/orders/account"
)

// limit is how long the demo may take, but for the cleaning up.
const limit = 85 * time.Second

// The system ends a child of ours with the thread that started it (see launch). This keeps the
// main goroutine, which starts all of them, on the one thread that lasts.
func init() { runtime.LockOSThread() }

func main() {
	app := flag.String("app", beside("orders"), "the program of the example")
	server := flag.String("server", filepath.Join("scripts", "mongod"),
		"the script that starts servers where MONGODB_URI is not set")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	account := account.New(os.Stdout, time.Now())
	account.Headline("Part 1 of 2, with nothing installed: a day of the example on a MongoDB inside " +
		"its process")
	err := day(ctx, os.Stdout, *app)
	if err == nil {
		account.Headline("Part 2 of 2, on real servers: processes that are killed and stopped")
		err = stage(ctx, account, *app, *server)
	}
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted && !errors.Is(err, errLeftBehind):
		account.Say("interrupted; everything is cleaned up")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}

// beside returns the path of a program in the directory of this one.
func beside(program string) string {
	self, err := os.Executable()
	if err != nil {
		return program
	}
	return filepath.Join(filepath.Dir(self), program)
}

// errLeftBehind is part of every error of the cleaning up.
var errLeftBehind = errors.New("not cleaned up")

func leftBehind(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", errLeftBehind, err)
	}
	return err
}

// stage finds servers, plays the story on them, judges it, and cleans up.
func stage(ctx context.Context, account *account.Account, app, script string) (err error) {
	servers, err := findServers(ctx, script, account)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.stop()) }()
	ctx, cancel := context.WithDeadlineCause(ctx, account.Begun().Add(limit),
		fmt.Errorf("it took longer than %s", limit))
	defer cancel()
	s, err := newStory(ctx, account, servers, app)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	if err := s.play(); err != nil {
		return err
	}
	found, err := s.evidence()
	if err != nil {
		return err
	}
	if err := s.sum(found.Counts()); err != nil {
		return err
	}
	account.Headline(fmt.Sprintf("All as promised, in %.1f s.", time.Since(account.Begun()).Seconds()))
	return nil
}
