package main

import (
	"fmt"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/examples/orders/account"
	"github.com/fwgen/fwgen/examples/orders/shop"
)

// arrive: two processes start; one leads, the other stands by.
func (s *story) arrive() error {
	s.Headline("Two processes, one leader")
	s.Say("everything is in the database %s, which is dropped at the end", s.DB.Name())
	if err := s.DB.CreateCollection(s.ctx, "orders"); err != nil {
		return fmt.Errorf("create collection: %w", err)
	}
	for _, name := range []string{"east", "west"} {
		if err := s.begin(name); err != nil {
			return err
		}
		s.Say("%s starts, process %d", name, s.members[name].cmd.Process.Pid)
	}
	name, err := s.awaitLeader(1)
	if err != nil {
		return err
	}
	s.Say("%s leads under term 1; its lease lasts %s and is renewed every %s", name, ttl, ttl/3)
	if err := s.awaitStandby(s.other(name)); err != nil {
		return err
	}
	s.Say("%s stands by", s.other(name))
	return nil
}

// other is the instance that name is not.
func (s *story) other(name string) string {
	if name == "east" {
		return "west"
	}
	return "east"
}

// trouble: orders arrive, and three of them are no plain ones.
func (s *story) trouble() error {
	s.Headline("Orders, and trouble with three of them")
	special := map[int]shop.Kind{8: shop.Flaky, 12: shop.Declined, 16: shop.Unreadable}
	ids := map[shop.Kind]string{}
	s.Say("20 orders arrive")
	for n := range 20 {
		id, err := s.customers.Order(s.ctx, special[n])
		if err != nil {
			return err
		}
		ids[special[n]] = id
	}
	if err := s.awaitSettled(); err != nil {
		return err
	}
	if err := s.tellFlaky(ids[shop.Flaky]); err != nil {
		return err
	}
	letters, err := s.Letters(s.ctx)
	if err != nil {
		return err
	}
	for _, l := range letters {
		s.Say("%s is a dead letter after attempt %d (%s): %s", l.Key.Order, l.Attempts, l.Error.Kind,
			l.Error.Message)
	}
	s.Say("every order is billed or a dead letter")
	return nil
}

// tellFlaky tells how an order came to be billed at a later attempt.
func (s *story) tellFlaky(order string) error {
	bills, err := s.Bills(s.ctx, bson.M{"order": order})
	if err != nil || len(bills) == 0 {
		return err // the judge will say that it is missing
	}
	failed := func(l line) bool { return l.Message == "attempt failed" && l.Event == bills[0].Event }
	for _, l := range s.members[s.leaders[0].name].log.lines() {
		if failed(l) {
			s.At(l.Time, "%s fails at attempt %d: %s; again in %s", order, l.Attempt, l.Error,
				account.Short(l.Retry))
		}
	}
	last := bills[0].Handled[0]
	s.At(last.At, "%s is billed at attempt %d", order, last.Attempt)
	return nil
}

// crash: the leader is killed while orders arrive, and the other one goes on.
func (s *story) crash() error {
	s.Headline("The leader is killed")
	enough := make(chan struct{})
	s.enough = func() {
		close(enough)
		s.enough = func() {}
	}
	s.ordering.Go(func() {
		if err := s.customers.KeepOrdering(s.ctx, enough); err != nil {
			s.fail(err)
		}
	})
	s.Say("customers order every %s from now on", shop.Rhythm)
	if err := s.awaitMore(60); err != nil {
		return err
	}
	killed := &s.leaders[0]
	at := time.Now()
	s.members[killed.name].kill()
	s.Say("SIGKILL for %s", killed.name)
	position, err := s.Checkpoint(s.ctx)
	if err != nil {
		return err
	}
	s.stored = position.Position.ClusterTime
	unsaved, err := s.billedAfter(s.stored)
	if err != nil {
		return err
	}
	s.Say("the stored position lies before %d orders that %s had billed", unsaved, killed.name)
	name, err := s.awaitLeader(2)
	if err != nil {
		return err
	}
	s.Say("%s leads under term 2", name)
	first, err := s.awaitFirst(2)
	if err != nil {
		return err
	}
	s.At(first, "%s handles the first order, %s after the SIGKILL, from the stored position on",
		name, account.Short(first.Sub(at)))
	s.leaders[0].end = fmt.Sprintf("killed; next order handled %s later", account.Short(first.Sub(at)))
	return s.awaitMore(60)
}

// awaitMore waits until n more orders are billed.
func (s *story) awaitMore(n int) error {
	before, err := s.Bills(s.ctx, bson.M{})
	if err != nil {
		return err
	}
	return s.await(fmt.Sprintf("%d more bills", n), func() (bool, error) {
		bills, err := s.Bills(s.ctx, bson.M{})
		return len(bills) >= len(before)+n, err
	})
}

// billedAfter counts the bills of orders that were written after a time.
func (s *story) billedAfter(t bson.Timestamp) (n int, err error) {
	bills, err := s.Bills(s.ctx, bson.M{})
	for _, b := range bills {
		if shop.ClusterTime(b.Event).After(t) {
			n++
		}
	}
	return n, err
}

// handOver: the killed one comes back, and the leader stops in order.
func (s *story) handOver() error {
	s.Headline("The new leader is stopped")
	back, leaving := s.leaders[0].name, &s.leaders[1]
	if err := s.begin(back); err != nil {
		return err
	}
	s.Say("%s is back, process %d", back, s.members[back].cmd.Process.Pid)
	if err := s.awaitStandby(back); err != nil {
		return err
	}
	s.Say("%s stands by", back)
	at := time.Now()
	s.Say("SIGTERM for %s", leaving.name)
	if err := s.members[leaving.name].stop(s.ctx); err != nil {
		return err
	}
	s.Say("%s has ended, with exit code 0", leaving.name)
	if _, err := s.awaitLeader(3); err != nil {
		return err
	}
	first, err := s.awaitFirst(3)
	if err != nil {
		return err
	}
	s.At(first, "%s leads under term 3 and handles the first order, %s after the SIGTERM", back,
		account.Short(first.Sub(at)))
	s.leaders[1].end = fmt.Sprintf("stopped; next order handled %s later", account.Short(first.Sub(at)))
	return s.awaitMore(20)
}

// finish: the customers have enough, and everything is settled.
func (s *story) finish() error {
	s.Headline("The end of the day")
	s.enough()
	s.ordering.Wait()
	s.Say("customers have written %d orders in all", len(s.customers.All()))
	if err := s.awaitSettled(); err != nil {
		return err
	}
	s.Say("every order is billed or a dead letter")
	last := &s.leaders[2]
	if err := s.members[last.name].stop(s.ctx); err != nil {
		return err
	}
	last.end = "stopped at the end"
	s.Say("%s is stopped", last.name)
	running := slices.Collect(func(yield func(string) bool) {
		for name, m := range s.members {
			if !m.wanted.Load() && !yield(name) {
				return
			}
		}
	})
	if len(running) > 0 {
		return fmt.Errorf("still running: %v", running)
	}
	return nil
}
