package memongo

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// failPoints are the server's fail points, of which it has one: failCommand.
type failPoints struct {
	mu    sync.Mutex
	count int32       // times that a point has struck since the start; guarded by mu
	point failCommand // guarded by mu
	held  *holds      // of the point
}

// holds are the commands that a fail point holds up.
type holds struct {
	mu    sync.Mutex
	count int           // guarded by mu
	none  chan struct{} // closed while count is zero; guarded by mu
}

func newHolds() *holds {
	none := make(chan struct{})
	close(none)
	return &holds{none: none}
}

func (h *holds) add() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count++; h.count == 1 {
		h.none = make(chan struct{})
	}
}

func (h *holds) done() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count--; h.count == 0 {
		close(h.none)
	}
}

// over is closed when nothing is held up.
func (h *holds) over() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.none
}

func newFailPoints() *failPoints { return &failPoints{held: newHolds()} }

// failCommand is the fail point of that name.
type failCommand struct {
	on       bool
	skip     int64
	times    int64 // negative: no limit
	chance   float64
	commands []string
	appName  string
	ns       string
	fault    fault
}

func failPointCommands() []*command {
	return []*command{{
		name: "configureFailPoint", fields: "mode data", traits: adminOnly,
		run: configureFailPoint,
	}}
}

func configureFailPoint(r *request) (bson.D, error) {
	name := r.args.require(r.command.name)
	if name != "failCommand" {
		return nil, mongoerr.New(mongoerr.FailPointNotFound, "%v not found", name)
	}
	var point failCommand
	if err := point.mode(r.args); err != nil {
		return nil, err
	}
	data, _ := r.args.document("data")
	if err := point.data(newArgs("failCommand", data)); err != nil {
		return nil, err
	}
	return r.server.points.set(r, point)
}

// set replaces the fail point. Turning it off waits until what it holds up has gone on.
func (p *failPoints) set(r *request, point failCommand) (bson.D, error) {
	p.mu.Lock()
	p.point = point
	p.mu.Unlock()
	if !point.on {
		select {
		case <-p.held.over():
		case <-r.ctx.Done():
			return nil, r.interrupted()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return bson.D{{Key: "count", Value: p.count}}, nil
}

// mode says when the point takes effect.
func (f *failCommand) mode(a args) error {
	f.times, f.chance = -1, 1
	v, ok := a.get("mode")
	if !ok {
		return mongoerr.New(mongoerr.IllegalOperation, "Missing required 'mode' field")
	}
	switch v {
	case "alwaysOn":
		f.on = true
		return nil
	case "off":
		return nil
	}
	mode, isDocument := v.(bson.D)
	if !isDocument {
		return mongoerr.New(mongoerr.BadValue, "unknown mode: %v", v)
	}
	m := newArgs("mode", mode)
	if times, ok := m.int("times"); ok {
		if times < 0 {
			return mongoerr.New(mongoerr.BadValue, "'times' option to 'mode' must be positive")
		}
		f.on, f.times = times > 0, times
	}
	if skip, ok := m.int("skip"); ok {
		f.on, f.skip = true, skip
	}
	if p, ok := m.get("activationProbability"); ok {
		f.on = true
		f.chance, _ = p.(float64)
	}
	if !f.on && f.times < 0 && m.failed() == nil {
		return mongoerr.New(mongoerr.BadValue, "unknown mode: %s", value.Show(mode))
	}
	return m.failed()
}

// data says whom the point strikes, and how.
func (f *failCommand) data(a args) error {
	list, _ := a.array("failCommands")
	for _, v := range list {
		name, _ := v.(string)
		f.commands = append(f.commands, name)
	}
	f.appName, _ = a.str("appName")
	f.ns, _ = a.str("namespace")
	code, _ := a.int("errorCode")
	f.fault.Code = int32(code)
	f.fault.Drop = a.flag("closeConnection")
	f.fault.writeConcernError, _ = a.document("writeConcernError")
	f.fault.fromPoint = true
	f.labels(a)
	if a.flag("blockConnection") {
		ms, ok := a.int("blockTimeMS")
		if !ok {
			return mongoerr.New(mongoerr.InvalidOptions,
				"must specify 'blockTimeMS' when 'blockConnection' is true")
		}
		f.fault.Delay = time.Duration(ms) * time.Millisecond
	}
	return a.failed()
}

func (f *failCommand) labels(a args) {
	list, ok := a.array("errorLabels")
	if !ok {
		return
	}
	f.fault.labels = []string{}
	for _, v := range list {
		label, _ := v.(string)
		f.fault.labels = append(f.fault.labels, label)
	}
}

// check returns what a fail point makes of a request.
func (p *failPoints) check(r *request) (fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &p.point
	if !f.on || !f.aimedAt(r) {
		return fault{}, false
	}
	switch {
	case f.skip > 0:
		f.skip--
		return fault{}, false
	case f.chance < 1 && rand.Float64() >= f.chance:
		return fault{}, false
	}
	p.count++
	if f.times > 0 {
		f.times--
		f.on = f.times > 0
	}
	p.held.add()
	return f.fault, true
}

func (f *failCommand) aimedAt(r *request) bool {
	if r.command.name == "configureFailPoint" {
		return false
	}
	named := func(name string) bool { return strings.EqualFold(name, r.command.name) }
	return slices.ContainsFunc(f.commands, named) && (f.appName == "" || f.appName == r.conn.appName) &&
		(f.ns == "" || f.ns == r.db+"."+r.target() ||
			r.target() == "" && f.ns == r.db+"."+wholeDatabase)
}
