package leasetest

import (
	"context"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

func (s *faulty) Acquire(ctx context.Context, req store.AcquireRequest) (store.Lease, error) {
	if err := s.call(ctx, "ACallWhoseContextIsOverPromotesNobody", ""); err != nil {
		return store.Lease{}, err
	}
	defer s.mu.Unlock()
	d := s.docs[s.key(req.Stream)]
	first := d == nil
	d = s.at(req.Stream)
	now := s.answer(d)
	switch {
	case !now.Live() && !s.held(d, now):
		term := s.next(d, req)
		if first && s.breaks == "TheFirstAcquireHasOneWinnerAndNoError" ||
			now.Owner != "" && s.breaks == "ATermHasOneOwner" {
			s.mu.Unlock() // somebody else finds it free, too
			time.Sleep(time.Millisecond)
			s.mu.Lock()
		}
		keep := d.contender
		s.grant(d, req, term)
		if s.breaks == "AGrantEndsEveryAnnouncement" {
			d.contender = keep
		}
	case s.raises(d, now, req):
		keep := d.contender
		s.grant(d, req, req.MinTerm)
		if s.breaks == "ARaiseOfTheTermEndsEveryAnnouncement" {
			d.contender = keep
		}
	case now.Owner == req.Owner && req.TTL > long && s.breaks == "TheOwnersLiveLeaseIsLeftAlone":
		d.expires = time.Now().Add(req.TTL)
	case s.announces(d, now, req):
		s.announce(d, req)
	}
	return s.answer(d), nil
}

// held reports whether a hold keeps a lease from being granted.
func (s *faulty) held(d *doc, now store.Lease) bool {
	switch {
	case d.Term > 0 && s.breaks == "AHeldStreamIsNotGranted",
		d.Term == 0 && s.breaks == "AStreamWithoutALeaseIsHeld":
		return false
	}
	return now.Hold != nil
}

// next is the term of a grant.
func (s *faulty) next(d *doc, req store.AcquireRequest) int64 {
	term := max(d.Term+1, req.MinTerm)
	expired, before := d.Owner != "", d.terms[req.Owner]
	switch s.breaks {
	case "TheSameOwnerGetsANewTermAfterExpiry":
		if d.Owner == req.Owner && d.TTL >= short {
			return d.Term
		}
	case "TheSameOwnerGetsANewTermAfterRelease":
		if !expired && d.last == req.Owner {
			return d.Term
		}
	case "AnExpiredLeaseGoesToAnother":
		if expired && d.Owner != req.Owner {
			return term + 1
		}
	case "TermsGrowFromOwnerToOwnerAndBack":
		if !expired && before > 0 && before < d.Term {
			return before + 1
		}
	case "ANewTermIsAtLeastMinTerm":
		if req.MinTerm > 0 {
			return req.MinTerm
		}
	case "ATermIsExactWhereFloatingPointIsNot":
		return int64(float64(term))
	case "AHandOverGoesToThePreferredOwner":
		if d.contender != nil && d.contender.Owner == req.Owner {
			return d.Term
		}
	}
	return term
}

func (s *faulty) grant(d *doc, req store.AcquireRequest, term int64) {
	released := d.Released
	d.Lease = store.Lease{
		Stream: d.Stream, Owner: s.named(req.Owner), Term: term, TTL: req.TTL,
		Priority: req.Priority, Instance: req.Instance,
	}
	d.expires, d.terms[req.Owner] = time.Now().Add(req.TTL), term
	switch s.breaks {
	case "AFreeLeaseIsGrantedWithItsFirstTerm":
		d.TTL = req.TTL / 2
	case "AReleasedLeaseIsFreeAtOnce":
		d.Released = released
	}
	d.contender = nil
	s.wrote(d, "AWatchTellsOfAGrant")
}

// raises reports whether a live lease gets a greater term.
func (s *faulty) raises(d *doc, now store.Lease, req store.AcquireRequest) bool {
	owner, term := now.Owner == req.Owner, now.Term == req.Term
	switch s.breaks {
	case "ALiveLeaseIsLeftAlone":
		owner = true
	case "TheOwnerIsRaisedAboveATermThatIsTooSmall":
		term = true
	case "ADeletedLeaseBeginsAboveTheTermAskedFor":
		if s.deleted {
			return false
		}
	}
	return now.Live() && owner && term && now.Term < req.MinTerm
}

// announces reports whether whoever was not granted the lease contends for it.
func (s *faulty) announces(d *doc, now store.Lease, req store.AcquireRequest) bool {
	switch {
	case !now.Live(),
		now.Hold != nil && s.breaks != "NobodyContendsForAHeldStream",
		now.Owner == req.Owner && s.breaks != "AnOwnerDoesNotContendWithItself":
		return false
	case req.Priority < 0 && s.breaks == "AnEqualOrLowerPriorityIsNotAnnounced":
		return true
	case req.Priority <= now.Priority:
		return false
	}
	c := now.Contender
	switch {
	case c == nil:
		return true
	case c.Owner == req.Owner:
		return s.breaks != "AnAnnouncementIsRepeatedByItsOwner"
	case c.Priority == req.Priority:
		return s.breaks == "TheFirstOfEqualPriorityStaysAnnounced"
	case c.Priority > req.Priority:
		return s.breaks == "TheHighestPriorityIsAnnounced"
	}
	return true
}

func (s *faulty) announce(d *doc, req store.AcquireRequest) {
	d.contender = &store.Contender{
		Owner: req.Owner, Priority: req.Priority, Instance: req.Instance,
	}
	d.lapses = time.Now().Add(req.TTL / 2)
	if s.breaks == "AHigherPriorityIsAnnouncedToTheOwner" {
		d.lapses = time.Now().Add(req.TTL)
	}
	s.wrote(d, "AWatchTellsOfAContender")
}
