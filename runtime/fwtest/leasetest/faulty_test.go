package leasetest

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// faulty is a store in memory that keeps every rule but one: that of the name in breaks.
type faulty struct {
	breaks  string
	noWatch bool

	mu      sync.Mutex // guards what follows
	docs    map[string]*doc
	deleted bool
	writes  int64
	gone    bool
	watches map[chan store.Lease]bool
}

// doc is what is stored of a lease.
type doc struct {
	store.Lease // but for ExpiresIn, Contender and Hold
	expires     time.Time
	contender   *store.Contender
	lapses      time.Time
	hold        *store.Hold
	endless     bool // the hold has no end, whatever it says
	last        string
	terms       map[string]int64 // by owner, the last
}

var errGone = errors.New("the store is gone")

func newFaulty(breaks string, noWatch bool) *faulty {
	return &faulty{
		breaks: breaks, noWatch: noWatch, docs: map[string]*doc{},
		watches: map[chan store.Lease]bool{},
	}
}

// call locks the store for a call, which fails where it can't be answered.
func (s *faulty) call(ctx context.Context, deafTo, goneTo string) error {
	s.mu.Lock()
	switch {
	case ctx.Err() != nil && s.breaks != deafTo:
		s.mu.Unlock()
		return ctx.Err()
	case s.gone && s.breaks != goneTo:
		s.mu.Unlock()
		return errGone
	}
	return nil
}

// at returns the document of a stream, and makes it where there is none.
func (s *faulty) at(stream string) *doc {
	d := s.docs[s.key(stream)]
	if d == nil {
		d = &doc{Lease: store.Lease{Stream: stream}, terms: map[string]int64{}}
		s.docs[s.key(stream)] = d
	}
	return d
}

func (s *faulty) key(stream string) string {
	if s.breaks == "LeasesOfDifferentStreamsAreIndependent" {
		return stream[:min(len(stream), 5)]
	}
	return stream
}

// answer is a document as it is told.
func (s *faulty) answer(d *doc) store.Lease {
	now, told := time.Now(), d.Lease
	if told.Owner != "" {
		told.ExpiresIn = d.expires.Sub(now)
	}
	if h := d.hold; h != nil && (h.Until.IsZero() || d.endless || h.Until.After(now)) {
		hold := *h
		if !h.Until.IsZero() {
			hold.ExpiresIn = h.Until.Sub(now)
		}
		told.Hold = &hold
	}
	if c := d.contender; c != nil && s.tells(d, now) {
		contender := *c
		contender.ExpiresIn = d.lapses.Sub(now)
		told.Contender = &contender
	}
	return told
}

func (s *faulty) tells(d *doc, now time.Time) bool {
	live := d.lapses.After(now) || s.breaks == "AnAnnouncementLapsesUnlessItIsRepeated"
	lower := d.contender.Priority <= d.Priority
	return live && (!lower || s.breaks == "AnEqualOrLowerPriorityIsNotAnnounced")
}

// wrote counts a write and tells whoever watches, unless that is a change they are not told of.
func (s *faulty) wrote(d *doc, untold string) {
	s.writes++
	if s.breaks == untold {
		return
	}
	for told := range s.watches {
		told <- s.answer(d)
	}
}

func (s *faulty) Renew(ctx context.Context, req store.RenewRequest) (store.Lease, error) {
	if err := s.call(ctx, "", ""); err != nil {
		return store.Lease{}, err
	}
	defer s.mu.Unlock()
	d := s.docs[s.key(req.Stream)]
	if d == nil && s.breaks == "ARenewalCreatesNothing" {
		d = s.at(req.Stream)
		d.Owner, d.Term = req.Owner, req.Term
	}
	if d == nil {
		return store.Lease{Stream: req.Stream}, nil
	}
	live := s.answer(d).Live() || s.breaks == "AnExpiredLeaseIsNotRenewed"
	term := d.Term == req.Term ||
		s.breaks == "ARenewalByAnotherOwnerOrTermChangesNothing" && req.Term == 0
	if live && d.Owner == req.Owner && term {
		d.TTL = req.TTL
		if s.breaks != "ARenewalExtendsTheLease" {
			d.expires = time.Now().Add(req.TTL)
		}
		s.wrote(d, "")
	}
	told := s.answer(d)
	if s.breaks == "AnOwnerIsToldOfAHold" {
		told.Hold = nil
	}
	return told, nil
}

func (s *faulty) Release(ctx context.Context, req store.ReleaseRequest) error {
	if err := s.call(ctx, "", ""); err != nil {
		return err
	}
	defer s.mu.Unlock()
	d := s.docs[s.key(req.Stream)]
	if d == nil {
		return s.unless("AMissingLeaseIsNotReleased", store.ErrNotOwner)
	}
	if d.Owner == "" && d.last == req.Owner && d.Term == req.Term {
		return s.unless("ASecondReleaseIsRefused", store.ErrNotOwner)
	}
	if d.Owner != req.Owner || d.Term != req.Term && s.breaks != "AStaleOwnerReleasesNothing" {
		if s.breaks == "ARefusedAttemptWritesNothing" {
			s.writes++
		}
		return store.ErrNotOwner
	}
	d.Owner, d.last, d.Released, d.expires = "", d.Owner, req.Reason, time.Now()
	if s.breaks == "AHoldOutlastsTheRelease" {
		d.hold = nil
	}
	s.wrote(d, "AWatchTellsOfARelease")
	return nil
}

// unless returns an error, or nil where that breaks the rule.
func (s *faulty) unless(rule string, err error) error {
	if s.breaks == rule {
		return nil
	}
	return err
}

func (s *faulty) Withdraw(ctx context.Context, req store.WithdrawRequest) error {
	if err := s.call(ctx, "", ""); err != nil {
		return err
	}
	defer s.mu.Unlock()
	d := s.docs[s.key(req.Stream)]
	if d == nil && s.breaks == "WithdrawingIsNoErrorWhereNothingIsAnnounced" {
		return store.ErrMissing
	}
	anybody := s.breaks == "AnAnnouncementIsWithdrawnByItsOwnerAlone"
	if d != nil && d.contender != nil && (anybody || d.contender.Owner == req.Owner) {
		d.contender = nil
		s.wrote(d, "AWatchTellsOfAWithdrawal")
	}
	return nil
}

func (s *faulty) Look(ctx context.Context, stream string) (store.Lease, error) {
	if err := s.call(ctx, "", ""); err != nil {
		return store.Lease{}, err
	}
	defer s.mu.Unlock()
	d := s.docs[s.key(stream)]
	switch {
	case d == nil && s.breaks == "ALookAtAnUnknownStreamTellsItsName":
		return store.Lease{}, nil
	case d == nil:
		return store.Lease{Stream: stream}, nil
	case s.breaks == "ALookChangesNothing":
		s.writes++
	}
	return s.answer(d), nil
}

func (s *faulty) Hold(ctx context.Context, req store.HoldRequest) error {
	if err := s.call(ctx, "ACallWhoseContextIsOverFails", ""); err != nil {
		return err
	}
	defer s.mu.Unlock()
	d, now := s.at(req.Stream), time.Now()
	hold := &store.Hold{By: req.By, Reason: req.Reason, At: now, Until: req.Until}
	over := !req.Until.IsZero() && !req.Until.After(now)
	d.endless = over && s.breaks == "AHoldThatIsOverHoldsNothing" ||
		!over && s.breaks == "AHoldEndsByTheClockOfTheStore"
	if d.hold != nil && s.breaks == "AHoldIsReplacedAndToldAsItWasAsked" {
		hold.Until = d.hold.Until
	}
	if s.breaks == "AHoldLeavesTheLeaseAsItIs" {
		d.Priority = 0
	}
	d.hold = hold
	s.wrote(d, "AWatchTellsOfAHold")
	return nil
}

func (s *faulty) Lift(ctx context.Context, stream string) error {
	if err := s.call(ctx, "", "AStoreThatIsGoneFailsEveryCall"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	d := s.docs[s.key(stream)]
	if d == nil || d.hold == nil {
		if s.breaks == "LiftingIsNoErrorWhereNothingIsHeld" {
			return store.ErrMissing
		}
		return nil
	}
	if d.hold.Until.IsZero() && s.breaks == "ALiftedStreamIsGrantedAgain" {
		return nil
	}
	d.hold = nil
	s.wrote(d, "AWatchTellsOfALift")
	return nil
}

func (s *faulty) Watch(ctx context.Context, ready func(), changed func(store.Lease)) error {
	if s.noWatch {
		if s.breaks == "AWatchThatIsUnsupportedSaysSo" {
			return errGone
		}
		return store.ErrWatchUnsupported
	}
	told := make(chan store.Lease, 100)
	s.mu.Lock()
	s.watches[told] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watches, told)
		s.mu.Unlock()
	}()
	ready()
	for {
		select {
		case l := <-told:
			changed(l)
		case <-ctx.Done():
			if s.breaks == "AWatchEndsWithItsContext" {
				time.Sleep(time.Hour)
			}
			return ctx.Err()
		}
	}
}

// named takes a dollar sign off a name, where it is taken for an expression.
func (s *faulty) named(owner string) string {
	if s.breaks == "TextIsNotAnExpression" {
		return strings.TrimPrefix(owner, "$")
	}
	return owner
}

// delete removes all that is stored of a lease.
func (s *faulty) delete(stream string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleted = true
	maps.DeleteFunc(s.docs, func(name string, _ *doc) bool { return name == s.key(stream) })
}
