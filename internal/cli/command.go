package cli

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/manual"
)

// command is one of fwgen's verbs. The one without a name is what fwgen does without any.
type command struct {
	name, args string
	doc        string // a line
	long       string // the rest of its help
	flags      func(*invocation, *flag.FlagSet)
	run        func(*invocation) (int, error)
	hidden     bool
}

// commands are all of them, in the order of the help.
func commands() []*command {
	return []*command{
		{name: "", args: "[packages]", doc: "write the generated files of packages",
			long: generateHelp, flags: reportFlags, run: generate},
		{name: "check", args: "[packages]",
			doc:  "report problems and files that are out of date; write nothing",
			long: checkHelp, flags: reportFlags, run: check},
		{name: "diff", args: "[packages]",
			doc: "show what fwgen would change in generated files", long: diffHelp, run: diff},
		{name: "init", args: "type", doc: "write a first handler for a document type",
			long: initHelp, flags: initFlags, run: initialize},
		{name: "list", args: "[packages]", doc: "list the streams of packages",
			long: listHelp, flags: listFlags, run: list},
		{name: "explain", args: "what…",
			doc:  "explain a code, a directive, a key, or a handler",
			long: explainHelp, run: explain},
		{name: "pages", args: "directory", doc: "write the generated pages of the documentation",
			run: pages, hidden: true},
		{name: "help", args: "[command]", doc: "show the help of a command", run: help},
	}
}

// lookup finds a command by its name.
func lookup(name string) *command {
	for _, c := range commands()[1:] {
		if c.name == name {
			return c
		}
	}
	return nil
}

// mistyped tells a command with a typing error from a package. Packages that can have handlers are
// named with a dot or a slash.
func mistyped(word string) error {
	if strings.ContainsAny(word, "./\\") {
		return nil
	}
	if diag.Nearest(word, commandNames()) == "" {
		return nil
	}
	return unknown("command", word, commandNames())
}

// unknown says that there is no such word, and which was meant or which there are.
func unknown(kind, word string, valid []string) error {
	if near := diag.Nearest(word, valid); near != "" {
		return fmt.Errorf("unknown %s %q; did you mean %s?", kind, word, near)
	}
	return fmt.Errorf("unknown %s %q; there are %s", kind, word, strings.Join(valid, ", "))
}

func commandNames() []string {
	var names []string
	for _, c := range commands()[1:] {
		if !c.hidden {
			names = append(names, c.name)
		}
	}
	return names
}

// usage is the command's line in a help text.
func (c *command) usage() string {
	return strings.Join(strings.Fields("fwgen "+c.name+" [flags] "+c.args), " ")
}

// help is the command that shows the help of this one.
func (c *command) help() string { return strings.TrimSpace("fwgen help " + c.name) }

// flagSet has the flags of a command. Those that were read before keep their values.
func (c *command) flagSet(inv *invocation) *flag.FlagSet {
	flags := flag.NewFlagSet("fwgen", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("C", "run in `dir`", inv.changeDir)
	flags.StringVar(&inv.tags, "tags", inv.tags, "comma-separated build `tags`, as for go build")
	if c.flags != nil {
		c.flags(inv, flags)
	}
	return flags
}

func reportFlags(inv *invocation, flags *flag.FlagSet) {
	flags.StringVar(&inv.format, "format", inv.format,
		"print problems as text, json, github or sarif: a `format`")
	flags.BoolVar(&inv.json, "json", inv.json, "the same as -format=json")
}

// help is the command of this name.
func help(inv *invocation) (int, error) {
	cmd := commands()[0]
	if len(inv.args) > 0 {
		if cmd = lookup(inv.args[0]); cmd == nil {
			return exitFailure, unknown("command", inv.args[0], commandNames())
		}
	}
	usage(inv.Stdout, cmd)
	return exitFine, nil
}

// usage prints the help of a command; that of the one without a name lists them all.
func usage(w io.Writer, c *command) {
	if c.name == "" {
		fmt.Fprintf(w, "fwgen generates the dispatch of MongoDB change-stream handlers.\n\n")
		for _, c := range commands() {
			if !c.hidden {
				fmt.Fprintf(w, "  %-34s  %s\n", c.usage(), c.doc)
			}
		}
	} else {
		fmt.Fprintf(w, "%s\n\n%s.\n", c.usage(), manual.Sentence(c.doc))
	}
	if c.long != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.long))
	}
	fmt.Fprintf(w, "\nFlags:\n")
	c.flagSet(&invocation{}).VisitAll(func(f *flag.Flag) {
		name, doc := flag.UnquoteUsage(f)
		fmt.Fprintf(w, "  %-14s  %s\n", strings.TrimSpace("-"+f.Name+" "+name), doc)
	})
	fmt.Fprintf(w, "\nExit code 0: fine, 1: problems, 2: wrong usage or an internal error.\n")
}
