package changestream

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/storage"
	"github.com/fwgen/fwgen/internal/memongo/token"
)

// Open makes a stream. It reads nothing yet, so a lost position is found by the first Next.
func Open(e *storage.Engine, o Options) (*Stream, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	user, err := compileTransform(&o)
	if err != nil {
		return nil, err
	}
	start, err := startOf(e, &o)
	if err != nil {
		return nil, err
	}
	if start.Fragment > 0 && !user.split {
		return nil, fatal("To resume from a split event, the $changeStream pipeline must include "+
			"a %s stage", stageSplit)
	}
	version := start.Version
	if user.split {
		version = token.Splitting
	}
	if start.Kind == token.HighWaterMark {
		start.Version = version
	}
	s := &Stream{
		engine:   e,
		options:  o,
		user:     user,
		start:    start,
		version:  version,
		position: storage.Before(start.TS),
		pbrt:     start,
		afterEnd: start.FromInvalidate,
	}
	if start.Kind == token.Event {
		s.resume = &start
	}
	return s, nil
}

// startOf is the position that a stream starts behind.
func startOf(e *storage.Engine, o *Options) (token.Token, error) {
	switch {
	case o.ResumeAfter != nil:
		return resumable(o.ResumeAfter, o.Scope, false)
	case o.StartAfter != nil:
		return resumable(o.StartAfter, o.Scope, true)
	case o.StartAt != nil:
		return token.HighWater(*o.StartAt), nil
	}
	now := e.ClusterTime()
	now.I++
	return token.HighWater(now), nil
}

// resumable parses a token that a stream of a scope can start with. Only startAfter may begin
// behind an invalidate.
func resumable(doc bson.D, scope Scope, startAfter bool) (token.Token, error) {
	tok, err := token.Parse(doc)
	if err != nil {
		return tok, err
	}
	invalid := tok.CheckHighWaterMark()
	switch {
	case tok.FromInvalidate && !startAfter:
		return tok, mongoerr.New(mongoerr.InvalidResumeToken, "Attempting to resume a change stream "+
			"using 'resumeAfter' is not allowed from an invalidate notification")
	case scope == Collection && tok.UUID == "" && (tok.Kind == token.Event || invalid != nil):
		return tok, mongoerr.New(mongoerr.InvalidResumeToken, "Attempted to resume a "+
			"single-collection stream, but the resume token does not include a UUID")
	}
	return tok, invalid
}
