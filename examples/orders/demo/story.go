package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/examples/orders/account"
	"github.com/fwgen/fwgen/examples/orders/judge"
	"github.com/fwgen/fwgen/examples/orders/shop"
)

const (
	ttl      = 3 * time.Second  // of the lease
	patience = 30 * time.Second // for each thing that must happen
	look     = 10 * time.Millisecond
)

// faultVariable spoils the evidence, to show that the judge notices: "bill" loses a bill of the
// second part.
const faultVariable = "ORDERS_DEMO_FAULT"

// story is what the demo plays: the processes, the orders, and what was seen so far.
type story struct {
	*account.Account
	shop.Records
	servers
	app       string
	ctx       context.Context // of the whole story; ends with the reason
	fail      context.CancelCauseFunc
	members   map[string]*instance // by name; the latest of each
	customers *shop.Customers
	enough    func()         // ends the ordering
	ordering  sync.WaitGroup // of the goroutine that orders
	leaders   []leader
	stored    bson.Timestamp // the position that the killed leader had stored
}

// leader is who led under a term, and how that ended.
type leader struct {
	term      int64
	name, end string
}

// newStory connects to the servers. The story has a database of its own.
func newStory(
	ctx context.Context, a *account.Account, servers servers, app string,
) (*story, error) {
	client, err := mongo.Connect(options.Client().ApplyURI(servers.uri))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	db := client.Database("fw_demo_" + strings.ToLower(rand.Text()[:8]))
	s := &story{Account: a, Records: shop.Records{DB: db}, servers: servers, app: app,
		members: map[string]*instance{}, customers: shop.NewCustomers(db), enough: func() {}}
	s.ctx, s.fail = context.WithCancelCause(ctx)
	return s, nil
}

// end cleans up: no process, no goroutine and no data are left.
func (s *story) end() error {
	s.fail(nil)
	for _, m := range s.members {
		m.kill()
	}
	s.enough()
	s.ordering.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	defer func() { _ = s.DB.Client().Disconnect(ctx) }()
	if s.own {
		return nil // the servers are deleted, with all that is in them
	}
	err := s.DB.Drop(ctx)
	if err != nil {
		err = fmt.Errorf("drop database %s: %w", s.DB.Name(), err)
	}
	return leftBehind(err)
}

// play plays the acts one after the other.
func (s *story) play() error {
	for _, act := range []func() error{s.arrive, s.trouble, s.crash, s.handOver, s.finish} {
		if err := act(); err != nil {
			if s.ctx.Err() != nil {
				return context.Cause(s.ctx) // the reason behind whatever could not be done
			}
			return err
		}
	}
	return nil
}

// await waits until check is true.
func (s *story) await(what string, check func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(s.ctx, patience,
		fmt.Errorf("waited %s for %s in vain", patience, what))
	defer cancel()
	for next := time.NewTicker(look); ; {
		done, err := check()
		if done || err != nil {
			next.Stop()
			return err
		}
		select {
		case <-next.C:
		case <-ctx.Done():
			next.Stop()
			return fmt.Errorf("%w%s", context.Cause(ctx), s.logs())
		}
	}
}

// logs are what the instances wrote, for an error.
func (s *story) logs() string {
	var all strings.Builder
	for name, m := range s.members {
		fmt.Fprintf(&all, "\ninstance %s wrote:\n%s", name, &m.log)
	}
	return all.String()
}

// awaitLeader waits until somebody leads under a term and has taken over the position.
func (s *story) awaitLeader(term int64) (name string, err error) {
	err = s.await(fmt.Sprintf("a leader under term %d", term), func() (bool, error) {
		l, err := s.Lock(s.ctx)
		if err != nil || l.Term < term || l.Owner == "" {
			return false, err
		}
		if l.Term > term {
			return false, fmt.Errorf("term %d begins, but %d was next", l.Term, term)
		}
		name = l.Instance.Name
		c, err := s.Checkpoint(s.ctx)
		return c.Term == term && c.Position.ClusterTime.T > 0, err
	})
	s.leaders = append(s.leaders, leader{term: term, name: name})
	return name, err
}

func (s *story) awaitStandby(name string) error {
	return s.await(name+" to stand by", func() (bool, error) {
		return s.members[name].standsBy(), nil
	})
}

// awaitFirst waits for the first bill of a term and returns when it was written.
func (s *story) awaitFirst(term int64) (first time.Time, err error) {
	err = s.await(fmt.Sprintf("the first bill of term %d", term), func() (bool, error) {
		bills, err := s.Bills(s.ctx, bson.M{"handled.term": term})
		for _, b := range bills {
			for _, h := range b.Handled {
				if h.Term == term && (first.IsZero() || h.At.Before(first)) {
					first = h.At
				}
			}
		}
		return !first.IsZero(), err
	})
	return first, err
}

// awaitSettled waits until every order is billed or a dead letter.
func (s *story) awaitSettled() error {
	return s.await("every order to be billed or a dead letter", func() (bool, error) {
		bills, err := s.Bills(s.ctx, bson.M{})
		if err != nil {
			return false, err
		}
		letters, err := s.Letters(s.ctx)
		return len(bills)+len(letters) >= len(s.customers.All()), err
	})
}

// evidence collects what is to be judged.
func (s *story) evidence() (e judge.Evidence, err error) {
	if os.Getenv(faultVariable) == "bill" {
		if err := s.LoseABill(s.ctx); err != nil {
			return e, err
		}
	}
	e.Written, e.Terms, e.Stored, e.Crashed = s.customers.All(), "1 2 3", s.stored, 1
	if e.Bills, err = s.Bills(s.ctx, bson.M{}); err != nil {
		return e, err
	}
	if e.Letters, err = s.Letters(s.ctx); err != nil {
		return e, err
	}
	last, err := s.Checkpoint(s.ctx)
	e.Position = last.Position.ClusterTime
	return e, err
}

// sum prints who led, and the table of counts. It returns an error if one of them is wrong.
func (s *story) sum(counts []judge.Count) error {
	s.Headline("Who led")
	for _, l := range s.leaders {
		s.Print("  term %d  %-6s %s", l.term, l.name, l.end)
	}
	return judge.Tell(s.Account, counts)
}
