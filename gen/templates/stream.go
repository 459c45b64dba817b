package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/fwgen/fwgen/internal/model"
)

// modes are the runtime's names of the modes.
var modes = map[string]string{"all_instances": "AllInstances", "single_leader": "SingleLeader"}

// stream writes the literal of the descriptor: what was written, in the order of its fields.
func stream(n *Names, h *model.Handler) jen.Code {
	s, w := h.Stream, &writer{n: n}
	w.text("Name", s.Name)
	w.text("Database", s.Database)
	w.texts("Collections", s.Collections)
	if s.Mode != "" {
		w.add("Mode", n.fw(modes[s.Mode]))
	}
	w.text("FullDocument", s.FullDocument)
	w.integer("Window", s.Window)
	w.duration("Timeout", s.Timeout)
	w.text("Exhausted", s.Exhausted)
	w.nested("Retry", "RetryPolicy", retry(n, s.Retry))
	w.nested("DLQ", "DLQPolicy", dlq(n, s.DLQ))
	w.nested("Checkpoint", "CheckpointPolicy", checkpoint(n, s.Checkpoint))
	w.nested("Lease", "LeasePolicy", lease(n, s.Lease))
	w.nested("Restart", "RestartPolicy", restart(n, s.Restart))
	w.flag("Disabled", s.Disabled)
	w.flag("ManualStart", s.ManualStart)
	w.text("Description", s.Description)
	w.text("Zone", s.Zone)
	if h.Pipeline != "" {
		w.add("Pipeline", jen.Id(n.Receiver).Dot(h.Pipeline))
	}
	w.add("Handle", handlers(n, h))
	return lines(w.fields)
}

func retry(n *Names, r model.Retry) []jen.Code {
	w := &writer{n: n}
	w.integer("Attempts", r.Attempts)
	w.duration("Initial", r.Initial)
	w.duration("Max", r.Max)
	w.float("Multiplier", r.Multiplier)
	w.float("Jitter", r.Jitter)
	w.matches("On", r.On)
	w.matches("Except", r.Except)
	return w.fields
}

func dlq(n *Names, d model.DLQ) []jen.Code {
	w := &writer{n: n}
	w.flag("Enabled", d.Enabled)
	w.text("Collection", d.Collection)
	w.duration("Retention", d.Retention)
	w.flag("OmitDocument", d.OmitDocument)
	w.flag("OmitStack", d.OmitStack)
	return w.fields
}

func checkpoint(n *Names, c model.Checkpoint) []jen.Code {
	w := &writer{n: n}
	w.integer("Every", c.Every)
	w.duration("Interval", c.Interval)
	w.duration("Idle", c.Idle)
	w.text("Start", c.Start)
	return w.fields
}

func lease(n *Names, l model.Lease) []jen.Code {
	w := &writer{n: n}
	w.duration("TTL", l.TTL)
	w.duration("Heartbeat", l.Heartbeat)
	w.duration("Poll", l.Poll)
	w.integer("Priority", l.Priority)
	w.integer("Yield", l.Yield)
	return w.fields
}

func restart(n *Names, r model.Restart) []jen.Code {
	w := &writer{n: n}
	w.integer("Attempts", r.Attempts)
	w.duration("Initial", r.Initial)
	w.duration("Max", r.Max)
	w.float("Multiplier", r.Multiplier)
	w.float("Jitter", r.Jitter)
	return w.fields
}
