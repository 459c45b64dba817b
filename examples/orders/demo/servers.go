package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/fwgen/fwgen/examples/orders/account"
)

// servers are the replica set that the demo runs on.
type servers struct {
	uri  string
	own  bool // they end with the demo, and what is in them too
	stop func() error
}

// findServers returns those of MONGODB_URI, or starts three with scripts/mongod.
func findServers(ctx context.Context, script string, account *account.Account) (servers, error) {
	if uri := os.Getenv("MONGODB_URI"); uri != "" {
		account.Say("using the servers of MONGODB_URI")
		return servers{uri, false, func() error { return nil }}, nil
	}
	if _, err := os.Stat(script); err != nil {
		return servers{}, fmt.Errorf("find servers: %w; run this in the repository's root, or set "+
			"MONGODB_URI to a replica set", err)
	}
	dir, err := os.MkdirTemp("", "fwgen-demo-")
	if err != nil {
		return servers{}, err
	}
	stop := func() error {
		_, err := run(script, "stop", "--dir", dir)
		return leftBehind(errors.Join(err, os.RemoveAll(dir)))
	}
	account.Say("starting a replica set of three nodes")
	said, err := run(script, "start", "--nodes", "3", "--dir", dir)
	uri := regexp.MustCompile(`mongodb://\S+`).FindString(said)
	switch {
	case err != nil:
	case uri == "":
		err = fmt.Errorf("%s start named no URI: %s", script, said)
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	if err != nil {
		return servers{}, errors.Join(err, stop())
	}
	account.Say("three nodes of MongoDB are up")
	return servers{uri, true, stop}, nil
}

// run runs a command to its end and returns what it printed. It is in a process group of its own: a
// Ctrl-C must not end it halfway, with servers that nobody knows of.
func run(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &said)
	}
	return said.String(), nil
}
