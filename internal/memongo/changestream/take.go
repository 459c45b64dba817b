package changestream

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/token"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// take queues an entry's event, and after it the stream's end if the event invalidates it.
func (s *Stream) take(e *storage.Entry) error {
	name, ok := s.options.sees(e)
	if !ok {
		return nil
	}
	tok := s.tokenOf(e, name)
	last := tok
	last.FromInvalidate = true
	ends := s.options.endsWith(name)
	if ends && s.afterEnd {
		s.afterEnd, ends = false, false
		if s.resume.ComparePlace(last) == 0 {
			s.resume = nil // whether or not the stages show it
			return nil
		}
	}
	if s.user.split && s.resume != nil && tok.ComparePlace(*s.resume) < 0 {
		return nil // versions with the split stage ask for no image then
	}
	if err := s.takeEvent(e, name, tok); err != nil || !ends {
		return err
	}
	if err := s.show(invalidate(e, last), last); err != nil {
		return err
	}
	s.queue = append(s.queue, item{token: last, end: true})
	return nil
}

func (s *Stream) takeEvent(e *storage.Entry, name string, tok token.Token) error {
	event := s.event(e, name, tok)
	first, second := s.user.other, (*pipeline.Pipeline)(nil)
	if e.Op == storage.OpUpdate {
		first, second = s.user.update, s.user.updateAfter
	}
	if ok, err := s.passes(first, event); err != nil || !ok {
		return err
	}
	s.afterEnd = false
	event, err := s.withBefore(event, e, name)
	if err != nil {
		return err
	}
	if ok, err := s.passes(second, event); err != nil || !ok {
		return err
	}
	if event, err = s.withAfter(event, e, name); err != nil {
		return err
	}
	return s.show(event, tok)
}

// passes reports whether stages let an event through.
func (s *Stream) passes(stages *pipeline.Pipeline, event bson.D) (bool, error) {
	_, ok, err := run(stages, event, &s.options.Vars)
	return ok, err
}

// show queues an event that the user's stages let through.
func (s *Stream) show(event bson.D, tok token.Token) error {
	event, ok, err := run(s.user.all, event, &s.options.Vars)
	if err != nil || !ok {
		return err
	}
	if s.resume != nil {
		return s.skip(event, tok)
	}
	items, err := s.items(event, tok)
	s.queue = append(s.queue, items...)
	return err
}

// skip drops the events up to the one that the stream resumes after. A later one says that there
// is no such event.
func (s *Stream) skip(event bson.D, tok token.Token) error {
	order := tok.ComparePlace(*s.resume)
	if order < 0 {
		return nil
	}
	if order > 0 {
		return fatal("cannot resume stream; the resume token was not found. %s", tok)
	}
	seen := s.resume.Fragment
	s.resume = nil
	if seen == 0 {
		return nil
	}
	items, err := s.items(event, tok)
	if err != nil {
		return err
	}
	if len(items) == 1 || len(items) < seen {
		return fatal("Attempted to resume from a split event fragment, but the event in the " +
			"resumed stream was not large enough to be split")
	}
	s.queue = append(s.queue, items[seen:]...)
	return nil
}

// items makes an event ready for delivery: whole, or in fragments.
func (s *Stream) items(event bson.D, tok token.Token) ([]item, error) {
	if s.user.all != nil {
		if err := checkID(event, tok.Document()); err != nil {
			return nil, err
		}
	}
	if s.user.split {
		return split(event, tok)
	}
	size := value.Size(event)
	if size > largestEvent {
		return nil, mongoerr.New(mongoerr.BSONObjectTooLarge, "BSONObj size: %d (0x%X) is invalid. "+
			"Size must be between 0 and %d(16MB) First element: %s: %s",
			size, size, largestEvent, event[0].Key, value.Show(event[0].Value))
	}
	return []item{{doc: event, token: tok, size: size}}, nil
}
