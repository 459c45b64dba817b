package cli

import (
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/load"
)

// listed is a stream in the inventory.
type listed struct {
	Name        string            `json:"name"`
	Database    string            `json:"database,omitempty"`
	Collections []string          `json:"collections"`
	Mode        string            `json:"mode"`
	Operations  []listedOperation `json:"operations"`
	Package     string            `json:"package"`
	Type        string            `json:"type"`
	File        string            `json:"file"`
	Line        int               `json:"line"`
	Test        bool              `json:"test,omitempty"`
	Disabled    bool              `json:"disabled,omitempty"`
	ManualStart bool              `json:"manualStart,omitempty"`
	Description string            `json:"description,omitempty"`
	Zone        string            `json:"zone,omitempty"`
}

type listedOperation struct {
	Operation string `json:"operation"`
	Method    string `json:"method"`
}

func listFlags(inv *invocation, flags *flag.FlagSet) {
	flags.BoolVar(&inv.json, "json", inv.json, "print the inventory for a program")
}

// list prints the inventory of the streams. Packages with problems are reported and left out.
func list(inv *invocation) (int, error) {
	inv.format = "" // of problems
	p, err := prepare(inv)
	if p == nil {
		return exitFailure, err
	}
	found := []listed{}
	for _, s := range p.streams() {
		found = append(found, p.listed(s))
	}
	if inv.json {
		if err := diag.WriteJSON(inv.Stdout, map[string]any{"streams": found}); err != nil {
			return exitFailure, fmt.Errorf("print streams: %w", err)
		}
		return p.report(err)
	}
	w := tabwriter.NewWriter(inv.Stdout, 0, 0, 2, ' ', 0)
	for i, l := range found {
		if i == 0 {
			fmt.Fprintln(w, "STREAM\tCOLLECTION\tMODE\tOPERATIONS\tHANDLER\tPLACE")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s.%s\t%s:%d\n", l.Name, l.namespace(), l.Mode,
			l.operations(), l.Package, l.Type, l.File, l.Line)
	}
	if err := w.Flush(); err != nil {
		return exitFailure, fmt.Errorf("print streams: %w", err)
	}
	return p.report(err)
}

func (p *pass) listed(s stream) listed {
	l := listed{
		Name: s.Stream.Name, Database: s.Stream.Database, Collections: s.Stream.Collections,
		Mode: s.mode(), Package: s.pkg.Path, Type: s.Type,
		File: p.renderer().Relative(s.decl.Pos.File), Line: s.decl.Pos.Line,
		Test: s.pkg.Variant != load.Main, Disabled: s.Stream.Disabled,
		ManualStart: s.Stream.ManualStart, Description: s.Stream.Description, Zone: s.Stream.Zone,
	}
	for _, r := range s.routes() {
		if r.method != nil {
			l.Operations = append(l.Operations, listedOperation{r.operation, r.method.Name})
		}
	}
	return l
}

// namespace is what the stream watches.
func (l listed) namespace() string {
	name := strings.Join(l.Collections, ",")
	if l.Database != "" {
		name = l.Database + "." + name
	}
	return name
}

// operations are those that are handled; the three of a collection's life are told by one word.
func (l listed) operations() string {
	var names []string
	for _, o := range l.Operations {
		switch o.Operation {
		case "drop":
			names = append(names, "lifecycle")
		case "rename", "dropDatabase":
		default:
			names = append(names, o.Operation)
		}
	}
	return strings.Join(names, ",")
}

// names lists the types of streams, for suggestions.
func names(streams []stream) []string {
	var list []string
	for _, s := range streams {
		list = append(list, s.Type)
	}
	return list
}

// nearest is the part of a message that suggests a name.
func nearest(name string, candidates []string) string {
	if near := diag.Nearest(name, candidates); near != "" {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}
