// Command replset starts and stops throw-away MongoDB servers. Run it as scripts/mongod, which
// finds the server and the directory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "scripts/mongod:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("start or stop?")
	}
	switch args[0] {
	case "start":
		return start(ctx, args[1:], out)
	case "stop":
		return stop(args[1:], out)
	}
	return fmt.Errorf("unknown command %q: start or stop", args[0])
}

func start(ctx context.Context, args []string, out io.Writer) error {
	opts := replset.Options{Detached: true}
	flags := flag.NewFlagSet("scripts/mongod start", flag.ContinueOnError)
	flags.StringVar(&opts.Binary, "binary", "", "the mongod to run")
	flags.StringVar(&opts.Dir, "dir", "", "the directory for data and logs")
	flags.IntVar(&opts.Nodes, "nodes", 1, "1 or 3")
	flags.BoolVar(&opts.Standalone, "standalone", false, "one server that is no replica set")
	flags.BoolVar(&opts.Auth, "auth", false, "ask for credentials; the URI has root's")
	flags.IntVar(&opts.OplogMB, "oplog", 0, "size of the oplog in MB (the server's choice)")
	flags.BoolVar(&opts.TestCommands, "test-commands", true, "set enableTestCommands=1")
	if err := parse(flags, args, &opts.Dir); err != nil {
		return err
	}
	switch old, err := replset.ReadRecord(opts.Dir); {
	case err == nil && old.Alive():
		_, err := fmt.Fprintf(out, "already running in %s: %s\n", shown(opts.Dir), old.URI)
		return err
	case err == nil:
		if err := old.Remove(opts.Dir); err != nil {
			return err
		}
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return err
	}
	if err := launch(ctx, opts); err != nil {
		return err
	}
	set, err := replset.ReadRecord(opts.Dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "started %s in %s: %s\n", kind(opts), shown(opts.Dir), set.URI)
	return err
}

// launch starts the servers and writes them down, or leaves nothing behind.
func launch(ctx context.Context, opts replset.Options) (err error) {
	for i := range max(1, opts.Nodes) {
		node := replset.NodeDir(opts.Dir, i)
		if _, err := os.Stat(node); err == nil {
			return fmt.Errorf("%s is there already, and no record says by whom", shown(node))
		}
		defer func() {
			if err != nil {
				_ = os.RemoveAll(node)
			}
		}()
	}
	set, err := replset.Start(ctx, opts)
	if err != nil {
		return err
	}
	if err := set.Record().Write(opts.Dir); err != nil {
		return errors.Join(err, set.Kill())
	}
	return nil
}

func kind(opts replset.Options) string {
	switch {
	case opts.Standalone:
		return "a standalone server"
	case opts.Nodes == 3:
		return "a replica set of 3 nodes"
	}
	return "a replica set of 1 node"
}

func stop(args []string, out io.Writer) error {
	var dir string
	flags := flag.NewFlagSet("scripts/mongod stop", flag.ContinueOnError)
	flags.StringVar(&dir, "dir", "", "the directory that start was given")
	if err := parse(flags, args, &dir); err != nil {
		return err
	}
	record, err := replset.ReadRecord(dir)
	if errors.Is(err, os.ErrNotExist) {
		_, err = fmt.Fprintf(out, "nothing runs in %s\n", shown(dir))
		return err
	}
	if err != nil {
		return err
	}
	if err := record.Remove(dir); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "stopped and deleted what ran in %s\n", shown(dir))
	return err
}

// parse reads the flags and makes the directory absolute, as servers keep theirs open.
func parse(flags *flag.FlagSet, args []string, dir *string) (err error) {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *dir == "" {
		return errors.New("--dir is missing")
	}
	*dir, err = filepath.Abs(*dir)
	return err
}

// shown shortens a path below the working directory.
func shown(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return path
}
