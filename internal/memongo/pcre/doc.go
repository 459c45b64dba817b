// Package pcre compiles the regular expressions of queries, which a server gives to PCRE, with
// Go's package regexp.
//
// The pattern is translated: what the two write differently ($ before a last newline, \Z, \h, the
// option x, literal braces) comes out as PCRE has it. What no finite automaton can do is refused
// with an [UnsupportedError] that names it: lookaround, backreferences, recursion, conditions,
// atomic groups, possessive quantifiers, verbs. So is a repetition of more than 1000.
//
// These differences are left: with the option m, ^ also matches behind a newline that ends the
// text; nothing that follows $ or \Z matches that newline; and \R can give back a part of \r\n.
package pcre

import (
	"errors"
	"regexp"
	"regexp/syntax"
)

// SyntaxError says what is wrong with a pattern, in PCRE's words.
type SyntaxError struct{ Message string }

// Error returns PCRE's words.
func (e *SyntaxError) Error() string { return e.Message }

// UnsupportedError says what a pattern has that is right, but can't be translated.
type UnsupportedError struct{ Construct string }

// Error names the construct.
func (e *UnsupportedError) Error() string {
	return e.Construct + " in a regular expression"
}

// Compile returns a pattern with any of the options i, m, s, x and u, of which u changes nothing.
// The error is a [SyntaxError] or an [UnsupportedError].
func Compile(pattern, options string) (*regexp.Regexp, error) {
	t := translator{rest: pattern}
	for _, option := range options {
		t.option(option, true)
	}
	translated, err := t.translate()
	if err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(translated)
	if err != nil {
		return nil, explain(err)
	}
	return compiled, nil
}

// explain is for what the translation leaves to Go to refuse.
func explain(err error) error {
	var refused *syntax.Error
	if !errors.As(err, &refused) {
		return &SyntaxError{err.Error()}
	}
	switch refused.Code {
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		return &UnsupportedError{"a repetition or a nesting of this size"}
	case syntax.ErrInvalidCharRange:
		return &SyntaxError{`unknown property name after \P or \p`}
	}
	return &SyntaxError{string(refused.Code)}
}
