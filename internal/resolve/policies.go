package resolve

import (
	"time"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/model"
	"github.com/fwgen/fwgen/internal/parse"
	"github.com/fwgen/fwgen/internal/spec"
)

// fallback returns the table's default of a duration.
func fallback(verb, key string) time.Duration {
	d, _ := spec.ParseDuration(spec.Lookup(verb).Lookup(key).Default)
	return d
}

// duration returns a key's duration, or its default.
func duration(d *parse.Directive, key string) time.Duration {
	if d.Arg(key) != nil {
		return get[time.Duration](d, key)
	}
	return fallback(d.Verb.Name, key)
}

func (h *handler) retry() {
	r := &h.out.Stream.Retry
	short := h.directive("changestream").Arg("retry")
	if short != nil {
		r.Attempts = short.Values[0].Parsed.(int)
	}
	d := h.directive("retry")
	if d == nil {
		return
	}
	long := d.Arg("attempts")
	switch {
	case long != nil && short != nil && long.Values[0].Parsed != short.Values[0].Parsed:
		h.Problems.Add(diag.New(diag.AttemptsTwice, long.Values[0].Pos,
			"attempts=%s beside retry=%s", long.Values[0].Text, short.Values[0].Text).
			Hinted("write one of them").
			With(short.Values[0].Pos, "retry= is written here"))
	case long != nil:
		r.Attempts = long.Values[0].Parsed.(int)
	case short == nil:
		r.Attempts = defaultAttempts()
	}
	r.Initial = get[time.Duration](d, "initial")
	r.Multiplier = get[float64](d, "multiplier")
	r.Max = get[time.Duration](d, "max")
	r.Jitter = jitter(d)
	h.waits(d)
	on, except := d.Arg("on"), d.Arg("except")
	r.On, r.Except = h.matches(on), h.matches(except)
	h.swallowed(r, on, except)
}

// defaultAttempts is what //fw:retry means where it names no number.
func defaultAttempts() int {
	n, _ := spec.Lookup("retry").Lookup("attempts").Parse(
		spec.Lookup("retry").Lookup("attempts").Default)
	return n.(int)
}

// waits checks that a longest wait is not shorter than the first.
func (h *handler) waits(d *parse.Directive) {
	first, longest := duration(d, "initial"), duration(d, "max")
	if d.Broken || longest >= first {
		return
	}
	arg := d.Arg("max")
	if arg == nil {
		arg = d.Arg("initial")
	}
	h.Problems.Add(diag.New(diag.MaxBelowInitial, arg.Values[0].Pos,
		"the longest wait (max=%s) is shorter than the first (initial=%s)",
		written(d, "max"), written(d, "initial")))
}

// written is a key's value as it was written, or its default.
func written(d *parse.Directive, key string) string {
	if arg := d.Arg(key); arg != nil {
		return arg.Values[0].Text
	}
	return d.Verb.Lookup(key).Default
}

// swallowed reports an except that leaves nothing to retry.
func (h *handler) swallowed(r *model.Retry, on, except *parse.Arg) {
	if except == nil {
		return
	}
	for i, m := range r.Except {
		if m.Type != nil && isErrorInterface(m.Type) && i < len(except.Values) {
			h.Problems.Add(diag.New(diag.ExceptSwallowsOn, except.Values[i].Pos,
				"except=error leaves nothing to retry"))
			return
		}
	}
	if on == nil || len(r.On) == 0 || len(r.On) != len(on.Values) {
		return
	}
	for _, m := range r.On {
		if !contains(r.Except, m) {
			return
		}
	}
	h.Problems.Add(diag.New(diag.ExceptSwallowsOn, except.Values[0].Pos,
		"except= names every error of on=, so nothing is retried").
		With(on.Values[0].Pos, "on= is written here"))
}

func (h *handler) deadLetters() {
	dlq := &h.out.Stream.DLQ
	if arg := h.directive("changestream").Arg("dlq"); arg != nil {
		dlq.Enabled = true
		if len(arg.Values) > 0 {
			dlq.Collection = arg.Values[0].Text
		}
	}
	d := h.directive("dlq")
	if d == nil {
		return
	}
	dlq.Enabled = true
	if name := get[string](d, "collection"); name != "" {
		dlq.Collection = name
	}
	dlq.Retention = get[time.Duration](d, "retention")
	if d.Arg("retention") != nil && dlq.Retention == 0 {
		dlq.Retention = -1 // for ever
	}
	dlq.OmitDocument = isFalse(d, "document")
	dlq.OmitStack = isFalse(d, "stack")
}

func (h *handler) checkpoint() {
	if d := h.directive("checkpoint"); d != nil {
		h.out.Stream.Checkpoint = model.Checkpoint{
			Every:    get[int](d, "every"),
			Interval: get[time.Duration](d, "interval"),
			Idle:     get[time.Duration](d, "idle"),
			Start:    get[string](d, "start"),
		}
	}
}

// heartbeats is how many of them a lease outlives at least: one may be lost, and one late.
const heartbeats = 3

func (h *handler) lease() {
	d := h.directive("lease")
	if d == nil {
		return
	}
	h.out.Stream.Lease = model.Lease{
		TTL:       get[time.Duration](d, "ttl"),
		Heartbeat: get[time.Duration](d, "heartbeat"),
		Poll:      get[time.Duration](d, "poll"),
		Priority:  get[int](d, "priority"),
		Yield:     get[int](d, "yield"),
	}
	if d.Broken || duration(d, "ttl")/heartbeats >= duration(d, "heartbeat") {
		return
	}
	arg := d.Arg("ttl")
	if arg == nil {
		arg = d.Arg("heartbeat")
	}
	h.Problems.Add(diag.New(diag.ShortTTL, arg.Values[0].Pos,
		"a lease lives for three heartbeats at least: ttl=%s, heartbeat=%s",
		written(d, "ttl"), written(d, "heartbeat")))
}

func (h *handler) restart() {
	d := h.directive("restart")
	if d == nil {
		return
	}
	h.out.Stream.Restart = model.Restart{
		Attempts:   get[int](d, "attempts"),
		Initial:    get[time.Duration](d, "initial"),
		Max:        get[time.Duration](d, "max"),
		Multiplier: get[float64](d, "multiplier"),
		Jitter:     jitter(d),
	}
	h.waits(d)
}
