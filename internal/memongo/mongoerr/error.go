// Package mongoerr is the error that a server answers a command with.
//
// Codes, names and messages are those of MongoDB 6.0, because clients branch on codes and people
// search for messages.
package mongoerr

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Error is a command's failure. Errors are made anew for each answer, so labels can be added.
type Error struct {
	Code    int32
	Message string
	Labels  []string
	Fields  bson.D // further fields of the answer, such as keyPattern and keyValue
}

// New returns an error with a code of the server.
func New(code int32, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Unsupported says that the in-process server lacks what a real one has.
func Unsupported(format string, args ...any) *Error {
	return New(NotImplemented, "memongo does not support "+format, args...)
}

// Error returns the message with the code.
func (e *Error) Error() string {
	return fmt.Sprintf("(%s %d) %s", e.CodeName(), e.Code, e.Message)
}

// CodeName returns the server's name of the code.
func (e *Error) CodeName() string {
	if name, ok := names[e.Code]; ok {
		return name
	}
	return "Location" + strconv.Itoa(int(e.Code))
}

// Has reports whether the error carries a label.
func (e *Error) Has(label string) bool { return slices.Contains(e.Labels, label) }

// With returns a copy that carries a label, too.
func (e *Error) With(label string) *Error {
	if e.Has(label) {
		return e
	}
	labelled := *e
	labelled.Labels = append(slices.Clone(e.Labels), label)
	return &labelled
}

// Is reports whether err is an [Error] with one of the codes.
func Is(err error, codes ...int32) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}
