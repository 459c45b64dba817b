package resolve

import (
	"strings"
	"time"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/parse"
	"github.com/fwgen/fwgen/internal/spec"
)

// directive finds the handler's directive of a verb.
func (h *handler) directive(verb string) *parse.Directive {
	return parse.Find(h.decl.Directives, verb)
}

// arg finds an argument of the handler's directives.
func (h *handler) arg(verb, key string) *parse.Arg {
	if d := h.directive(verb); d != nil {
		return d.Arg(key)
	}
	return nil
}

// get returns a key's value, or the zero value where it is not written.
func get[T any](d *parse.Directive, key string) T {
	var zero T
	arg := d.Arg(key)
	if arg == nil || len(arg.Values) == 0 {
		return zero
	}
	return arg.Values[0].Parsed.(T)
}

// isFalse tells whether a key is written as false.
func isFalse(d *parse.Directive, key string) bool {
	return d.Arg(key) != nil && !get[bool](d, key)
}

// settings reads the directives of the type into the model.
func (h *handler) settings() {
	d, s := h.directive("changestream"), &h.out.Stream
	s.Name = get[string](d, "name")
	s.Database = get[string](d, "database")
	s.Mode = get[string](d, "mode")
	s.FullDocument = get[string](d, "fulldocument")
	s.Window = get[int](d, "window")
	s.Timeout = get[time.Duration](d, "timeout")
	s.Exhausted = get[string](d, "exhausted")
	s.Disabled = isFalse(d, "enabled")
	s.ManualStart = isFalse(d, "autostart")
	s.Description = get[string](d, "description")
	s.Zone = get[string](d, "zone")
	h.collection(d)
	h.retry()
	h.deadLetters()
	h.checkpoint()
	h.lease()
	h.restart()
}

// statePrefix begins the names of the collections that the runtime keeps its state in, and
// deadLetters is the one among them whose name a user may write.
const (
	statePrefix = "_fw_"
	deadLetters = "_fw_dlq"
)

// collection sets the collection and the stream's name, which defaults to it.
func (h *handler) collection(d *parse.Directive) {
	arg := d.Arg("collection")
	if arg == nil {
		return // missing or wrong, and reported
	}
	v, s := arg.Values[0], &h.out.Stream
	s.Collections = []string{v.Text}
	if strings.HasPrefix(v.Text, statePrefix) {
		h.Problems.Add(diag.New(diag.StateCollection, v.Pos,
			"%q holds the runtime's own state", v.Text).
			Noted("names that begin with %s belong to the runtime", statePrefix))
	}
	at := v.Pos
	if name := d.Arg("name"); name != nil {
		at = name.Values[0].Pos
	} else {
		s.Name = v.Text
		if problem := spec.StreamName(v.Text); problem != nil {
			problem.Pos = v.Pos
			h.Problems.Add(*problem)
		}
	}
	h.streams = append(h.streams, Stream{Name: s.Name, Pos: at, Package: h.Package})
}

// contradictions reports settings that cannot hold together, at the argument that causes it.
func (h *handler) contradictions() {
	h.dlqCollections()
	if arg := h.arg("changestream", "exhausted"); arg != nil && h.out.Stream.DLQ.Enabled {
		h.Problems.Add(diag.New(diag.ExhaustedWithDLQ, arg.Key,
			"exhausted= on a stream with dead letters: an exhausted event becomes one").
			Hinted("remove exhausted= or dlq"))
	}
	if d := h.directive("lease"); d != nil && h.out.Stream.Mode != "single_leader" &&
		!h.directive("changestream").Broken {
		h.Problems.Add(diag.New(diag.LeaseWithoutOwner, d.Pos,
			"//fw:lease on a stream without a leader").
			Hinted("add mode=single_leader to //fw:changestream"))
	}
	arg := h.arg("changestream", "fulldocument")
	if arg != nil && h.out.Stream.FullDocument == "off" && h.out.Update != nil &&
		h.out.Update.Form.NeedsDocument() {
		update := h.roles[onUpdate]
		h.Problems.Add(diag.New(diag.NeedsLookup, arg.Values[0].Pos,
			"with fulldocument=off an update has no document, and %s takes one", update.fn.Name()).
			Hinted("let the method take the event only").
			With(h.methodPlace(update), "%s is declared here", update.fn.Name()))
	}
}

// dlqCollections checks where dead letters go: not to two places, not among the runtime's state,
// and not back into the stream.
func (h *handler) dlqCollections() {
	short, long := h.arg("changestream", "dlq"), h.arg("dlq", "collection")
	for _, arg := range []*parse.Arg{short, long} {
		if arg == nil || len(arg.Values) == 0 {
			continue
		}
		v := arg.Values[0]
		switch {
		case strings.HasPrefix(v.Text, statePrefix) && v.Text != deadLetters:
			h.Problems.Add(diag.New(diag.StateCollection, v.Pos,
				"%q holds the runtime's own state", v.Text).
				Hinted("the collection for dead letters is %s unless named", deadLetters))
		case len(h.out.Stream.Collections) > 0 && v.Text == h.out.Stream.Collections[0] &&
			h.out.Stream.Database == "":
			h.Problems.Add(diag.New(diag.StateCollection, v.Pos,
				"dead letters in %q would be events of this very stream", v.Text))
		}
	}
	if short == nil || long == nil || len(short.Values) == 0 {
		return
	}
	if a, b := short.Values[0], long.Values[0]; a.Text != b.Text {
		h.Problems.Add(diag.New(diag.DLQTwice, b.Pos,
			"dead letters cannot go to two collections").
			With(a.Pos, "%q is named here", a.Text))
	}
}

// jitter is written as 0 for none, which the runtime takes for its default.
func jitter(d *parse.Directive) float64 {
	if d.Arg("jitter") != nil && get[float64](d, "jitter") == 0 {
		return -1
	}
	return get[float64](d, "jitter")
}
