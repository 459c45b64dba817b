package cli

import (
	"fmt"
	"go/types"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fwgen/fwgen/internal/model"
)

// explainStream prints all that holds for a stream and where it comes from.
func (p *pass) explainStream(s stream) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s: the stream %q of %s\n", p.position(s.decl.Pos), s.Stream.Name, s.docName())
	fmt.Fprintf(w, "\nSettings\n")
	for _, set := range s.settings() {
		origin := "default"
		if set.at.IsValid() {
			origin = p.position(set.at)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", set.name, set.value, origin)
	}
	p.explainOperations(w, s)
	explainAttempts(w, s)
	explainStored(w, s)
	_ = w.Flush() // to a builder, which takes all
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(p.inv.Stdout, strings.TrimRight(line, " \n")) // cells may be empty
	}
}

// qualifier names packages as the user's code does.
func (s stream) qualifier(p *types.Package) string {
	if p == s.pkg.Types {
		return ""
	}
	return p.Name()
}

// docName is the document type as the user calls it.
func (s stream) docName() string {
	return types.TypeString(s.Doc, s.qualifier)
}

func (p *pass) explainOperations(w *tabwriter.Writer, s stream) {
	fmt.Fprintf(w, "\nOperations\n")
	place := func(name string) string { return p.position(s.methodPlace(p.prog, name)) }
	for _, r := range s.routes() {
		if r.method == nil {
			fmt.Fprintf(w, "  %s\tnobody: skipped\t\n", r.operation)
			continue
		}
		fmt.Fprintf(w, "  %s\t%s%s\t%s\n", r.operation, r.method.Name, s.form(r.method),
			place(r.method.Name))
	}
	if s.Filter != nil {
		fmt.Fprintf(w, "  filter\t%s\t%s\n", s.Filter.Name, place(s.Filter.Name))
	}
	if s.Pipeline != "" {
		fmt.Fprintf(w, "  pipeline\t%s\t%s\n", s.Pipeline, place(s.Pipeline))
	}
	for _, e := range s.OnError {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", s.errors(e.Match), e.Name, place(e.Name))
	}
}

// form is the parameter list of a method.
func (s stream) form(m *model.Method) string {
	doc, event := "*"+s.docName(), "*fw.Event["+s.docName()+"]"
	if s.Raw {
		doc = s.docName()
	}
	switch m.Form {
	case model.TakesDocument:
		return "(ctx, " + doc + ")"
	case model.TakesEvent:
		return "(ctx, " + event + ")"
	default:
		return "(ctx, " + doc + ", " + event + ")"
	}
}

// errors says which errors a method decides about.
func (s stream) errors(list []model.Match) string {
	if len(list) == 0 {
		return "errors"
	}
	var names []string
	for _, m := range list {
		switch {
		case m.Value == nil:
			names = append(names, types.TypeString(m.Type, s.qualifier))
		case m.Value.Pkg() != nil && s.qualifier(m.Value.Pkg()) != "":
			names = append(names, s.qualifier(m.Value.Pkg())+"."+m.Value.Name())
		default:
			names = append(names, m.Value.Name())
		}
	}
	return "error " + strings.Join(names, ", ")
}

func explainAttempts(w *tabwriter.Writer, s stream) {
	if s.Stream.Retry.Attempts <= 1 {
		fmt.Fprintf(w, "\nAttempts\n  one, and no more\n")
		return
	}
	plan := newSchedule(s.Stream.Retry)
	fmt.Fprintf(w, "\nAttempts\n  1\tat once\t\n")
	for n := 1; n < plan.attempts; n++ {
		wait := plan.wait(n)
		if n > shownWaits {
			fmt.Fprintf(w, "  … %d\tand so on, after %s at most\t\n", plan.attempts, seconds(plan.max))
			break
		}
		fmt.Fprintf(w, "  %d\tafter %s\t%s\n", n+1, seconds(wait), plan.spread(wait))
	}
	fmt.Fprintf(w, "  all waits\t%s\t%s\n", seconds(plan.total()), plan.spread(plan.total()))
}

// spread is between what a wait lies, with jitter.
func (s schedule) spread(wait time.Duration) string {
	if s.shake == 0 {
		return ""
	}
	return fmt.Sprintf("%s to %s", seconds(nanoseconds(float64(wait)*(1-s.shake))),
		seconds(nanoseconds(float64(wait)*(1+s.shake))))
}

// explainStored names the documents of the stream, as they are with the runtime's default prefix.
func explainStored(w *tabwriter.Writer, s stream) {
	id, lease := s.Stream.Name, ""
	if s.mode() == "single_leader" {
		lease = id
	} else {
		id += "#INSTANCE"
	}
	fmt.Fprintf(w, "\nStored in the application's StateDatabase, with the Prefix _fw\n")
	if lease != "" {
		fmt.Fprintf(w, "  lease\t_fw_locks\t_id %q\n", lease)
	}
	fmt.Fprintf(w, "  position\t_fw_checkpoints\t_id %q\n", id)
	collection := s.Stream.DLQ.Collection
	if collection == "" {
		collection = "_fw_dlq"
	}
	note := ""
	if !s.Stream.DLQ.Enabled {
		note = " (only what a handler sends there itself)"
	}
	fmt.Fprintf(w, "  dead letters\t%s\t_id %q%s\n", collection, id+"/EVENT", note)
}
