package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
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
}

// command is one of fwgen's verbs. The one without a name is what fwgen does without any.
type command struct {
	name, usage, doc string
	run              func(*invocation) (int, error)
}

// invocation is a command with its arguments.
type invocation struct {
	Process
	tags     string
	patterns []string
}

func commands() []command {
	return []command{
		{"", "fwgen [flags] [packages]", "write the generated files of packages", generate},
		{"check", "fwgen check [flags] [packages]",
			"report problems and files that are out of date; write nothing", check},
	}
}

// Main runs the command line and returns its exit code.
func Main(args []string, p Process) int {
	cmd, args := choose(args)
	inv := &invocation{Process: p}
	flags := flag.NewFlagSet("fwgen", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dir := flags.String("C", "", "run in `dir`")
	flags.StringVar(&inv.tags, "tags", "", "comma-separated build `tags`, as for go build")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		usage(p.Stdout, flags)
		return exitFine
	case err != nil:
		fmt.Fprintf(p.Stderr, "fwgen: %v\n", err)
		usage(p.Stderr, flags)
		return exitFailure
	}
	if *dir != "" {
		inv.Dir = *dir
		if !filepath.IsAbs(*dir) {
			inv.Dir = filepath.Join(p.Dir, *dir)
		}
	}
	if info, err := os.Stat(inv.Dir); err != nil || !info.IsDir() {
		fmt.Fprintf(p.Stderr, "fwgen: there is no directory %s\n", inv.Dir)
		return exitFailure
	}
	code, err := run(cmd, inv, flags.Args())
	if err != nil {
		fmt.Fprintf(p.Stderr, "fwgen: %v\n", err)
	}
	return code
}

func run(cmd command, inv *invocation, patterns []string) (int, error) {
	inv.patterns = patterns
	if len(patterns) == 0 {
		inv.patterns = []string{"."}
	} else if err := mistyped(patterns[0]); err != nil && cmd.name == "" {
		return exitFailure, err
	}
	return cmd.run(inv)
}

// choose finds the command that the first argument names.
func choose(args []string) (command, []string) {
	all := commands()
	for _, c := range all[1:] {
		if len(args) > 0 && args[0] == c.name {
			return c, args[1:]
		}
	}
	return all[0], args
}

// mistyped tells a command with a typing error from a package. Packages that can have handlers are
// named with a dot or a slash.
func mistyped(word string) error {
	if strings.ContainsAny(word, "./\\") {
		return nil
	}
	var names []string
	for _, c := range commands()[1:] {
		names = append(names, c.name)
	}
	if near := diag.Nearest(word, names); near != "" {
		return fmt.Errorf("unknown command %q; did you mean %s?", word, near)
	}
	return nil
}

func usage(w io.Writer, flags *flag.FlagSet) {
	fmt.Fprintf(w, "fwgen generates the dispatch of MongoDB change-stream handlers.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-32s  %s\n", c.usage, c.doc)
	}
	fmt.Fprintf(w, "\nPackages are named as for the go command; the default is \".\".\n\n")
	flags.VisitAll(func(f *flag.Flag) {
		name, doc := flag.UnquoteUsage(f)
		fmt.Fprintf(w, "  %-32s  %s\n", "-"+f.Name+" "+name, doc)
	})
	fmt.Fprintf(w, "\nExit code 0: fine, 1: problems, 2: wrong usage or an internal error.\n")
}
