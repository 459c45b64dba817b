package simulation

import (
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo"
)

// Names of collections, and of the database that holds them.
const (
	database    = "shop"
	items       = "items"
	locks       = "_fw_locks"
	checkpoints = "_fw_checkpoints"
	letters     = "_fw_dlq"
)

// faults are what happens to commands at the time.
type faults struct {
	mu      sync.Mutex // guards what follows
	windows []window
	dice    dice
}

// window is a fault for a time.
type window struct {
	instance string // "" is everybody
	what     Kind
	how      Effect
	chance   float64
	delay    time.Duration
	until    time.Time
}

func newFaults(seed uint64) *faults { return &faults{dice: newDice(seed, "faults")} }

func (f *faults) add(w window) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.windows = append(f.windows, w)
}

// heal ends all faults.
func (f *faults) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.windows = nil
}

// strike returns the window that a command falls into, among those with an effect of one kind:
// what only the network can do, or what the server does.
func (f *faults) strike(app string, c command, network bool) (window, bool) {
	instance, _, _ := strings.Cut(app, "-")
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	for _, w := range f.windows {
		if (w.how == Straggling) == network && now.Before(w.until) &&
			(w.instance == "" || w.instance == instance) &&
			c.is(w.what) && f.dice.Float64() < w.chance {
			return w, true
		}
	}
	return window{}, false
}

// codes are those of servers that stop, step down or are overwhelmed.
var codes = []int32{6, 50, 91, 189, 10107, 11600, 11602, 13435}

// server is what the server does about a command.
func (f *faults) server(c memongo.Command) memongo.Fault {
	if c.AppName == "" || strings.HasPrefix(c.AppName, harness) {
		return memongo.Fault{}
	}
	w, hit := f.strike(c.AppName, command{
		name: c.Name, collection: c.Collection, transaction: inTransaction(c.Document),
	}, false)
	if !hit {
		return memongo.Fault{}
	}
	switch w.how {
	case Slow:
		return memongo.Fault{Delay: w.delay}
	case Refused:
		f.mu.Lock()
		defer f.mu.Unlock()
		return memongo.Fault{Code: pick(f.dice, codes...)}
	case Dropped:
		return memongo.Fault{Drop: true}
	case LostReply:
		return memongo.Fault{LoseReply: true}
	default:
		return memongo.Fault{DelayReply: w.delay}
	}
}

func inTransaction(doc bson.D) bool {
	for _, e := range doc {
		if e.Key == "autocommit" {
			return true
		}
	}
	return false
}

// command is what faults know of a command.
type command struct {
	name, collection string
	transaction      bool
}

func (c command) is(kind Kind) bool {
	reads := c.name == "aggregate" || c.name == "getMore"
	switch kind {
	case Leases:
		return c.collection == locks && c.name == "findAndModify"
	case Positions:
		return c.collection == checkpoints && !c.transaction
	case Letters:
		return c.transaction
	case Reading:
		return reads && c.collection == items
	case Watching:
		return reads && c.collection == locks
	default:
		return c.name != "hello" && c.name != "isMaster"
	}
}
