package reader

import (
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Class says what kind of trouble an error is.
type Class string

// The classes.
const (
	Transient    Class = "transient"     // again, later
	Lost         Class = "position_lost" // the position can't be read from any more
	Oversized    Class = "oversized"     // an event is too large for the server to send
	ImageMissing Class = "image_missing" // a required pre- or post-image is gone
	Unauthorized Class = "unauthorized"
	Unsupported  Class = "unsupported"  // a stage or option that the server does not know
	Invalidated  Class = "invalidated"  // the collection was renamed away
	NotAnEvent   Class = "not_an_event" // the pipeline removed what every event must have
)

// Phase says when an error came: a position can be found unusable only until the first answer.
type Phase int

// The phases.
const (
	Opening Phase = iota // aggregate and first getMore, with a token
	Reading
)

// Codes of MongoDB's servers. They are part of its protocol and do not change.
var (
	// ChangeStreamHistoryLost, ChangeStreamFatalError, CappedPositionLost,
	// ChangeStreamStartAfterInvalidate's kin 464, and three of resume tokens of old forms.
	lostAnywhere = []int{286, 280, 136, 464, 40576, 40585, 40615}
	// InvalidResumeToken, FailedToParse, Overflow and four of broken tokens.
	lostOpening = []int{260, 9, 15, 40647, 40649, 50811, 50816}
)

// Classify says what kind of trouble err is, by the server's code and the phase.
func Classify(err error, phase Phase) Class {
	code := Code(err)
	switch {
	case slices.Contains(lostAnywhere, code):
		return Lost
	case phase == Opening && slices.Contains(lostOpening, code):
		return Lost
	case code == 10334:
		return Oversized
	case code == 47:
		return ImageMissing
	case code == 13:
		return Unauthorized
	case code == 40324:
		return Unsupported
	default:
		return Transient
	}
}

// Code returns the code of a server's error, 0 if err is not one.
func Code(err error) int {
	if command, ok := errors.AsType[mongo.CommandError](err); ok {
		return int(command.Code)
	}
	return 0
}

// Error ends a reader.
type Error struct {
	Class Class
	Err   error
}

func (e *Error) Error() string { return fmt.Sprintf("read change stream: %v", e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
