package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fwgen/fwgen/internal/vet"
)

// Exit codes.
const (
	exitFine     = 0
	exitProblems = 1
	exitFailure  = 2
)

// Process is what a command knows of the process it runs in.
type Process struct {
	Dir            string   // the working directory, absolute
	Env            []string // nil for the process's own
	Stdout, Stderr io.Writer
	// Patience is how long loading packages may take before a line says that it does. Zero is two
	// seconds, a negative one is for ever.
	Patience time.Duration
}

func (p Process) getenv(name string) string {
	if p.Env == nil {
		return os.Getenv(name)
	}
	value := ""
	for _, pair := range p.Env { // the last one counts
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// invocation is a command with its flags and arguments.
type invocation struct {
	Process
	// start is the directory of the process; Dir may be another one.
	start  string
	args   []string
	tags   string
	format string
	json   bool
	// collection is for the scaffold of a handler.
	collection string
}

// patterns are the arguments of a command that takes packages.
func (inv *invocation) patterns() []string {
	if len(inv.args) == 0 {
		return []string{"."}
	}
	return inv.args
}

// Main runs the command line and returns its exit code.
func Main(args []string, p Process) int {
	if vet.Called(args) {
		vet.Main()
	}
	inv := &invocation{Process: p, start: p.Dir}
	cmd, err := inv.parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(p.Stdout, cmd)
		return exitFine
	case err != nil:
		fmt.Fprintf(p.Stderr, "fwgen: %v\n", err)
		fmt.Fprintf(p.Stderr, "usage: %s (see %s)\n", cmd.usage(), cmd.help())
		return exitFailure
	}
	if info, err := os.Stat(inv.Dir); err != nil || !info.IsDir() {
		fmt.Fprintf(p.Stderr, "fwgen: there is no directory %s\n", inv.Dir)
		return exitFailure
	}
	code, err := cmd.run(inv)
	if err != nil {
		fmt.Fprintf(p.Stderr, "fwgen: %v\n", err)
	}
	return code
}

// parse finds the command and reads its flags, which may stand before it and between its arguments
// as well.
func (inv *invocation) parse(args []string) (*command, error) {
	cmd, found := commands()[0], false
	for {
		flags := cmd.flagSet(inv)
		if err := flags.Parse(args); err != nil {
			return cmd, suggestFlag(flags, err)
		}
		args = flags.Args()
		if len(args) == 0 {
			break
		}
		if named := lookup(args[0]); named != nil && !found && len(inv.args) == 0 {
			cmd, found = named, true
		} else {
			inv.args = append(inv.args, args[0])
		}
		args = args[1:]
	}
	if !found && len(inv.args) > 0 {
		if err := mistyped(inv.args[0]); err != nil {
			return cmd, err
		}
	}
	return cmd, inv.checkFormat()
}

// suggestFlag adds to an error of parsing which flag was probably meant.
func suggestFlag(flags *flag.FlagSet, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return err
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("%w%s", err, nearest(name, names))
}

// changeDir is the flag -C.
func (inv *invocation) changeDir(dir string) error {
	inv.Dir = dir
	if !filepath.IsAbs(dir) {
		inv.Dir = filepath.Join(inv.start, dir)
	}
	return nil
}
