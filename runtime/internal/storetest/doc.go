// Package storetest checks that a store keeps the rules of package store: one suite per interface.
// Each test is named after the rule that it checks.
//
// A suite reaches a store through its interface alone. What an interface can't do (hold a stream,
// delete a document, read a row) comes with the store under test as functions; where one is nil,
// the tests that need it are skipped.
package storetest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Option changes how a suite runs.
type Option func(*suite)

// InBubble runs every test in a testing/synctest bubble, so that waiting takes no time. For
// stores that do no input or output.
func InBubble() Option {
	return func(s *suite) { s.run = synctest.Test }
}

type suite struct {
	run func(*testing.T, func(*testing.T))
}

func newSuite(opts []Option) *suite {
	s := &suite{run: func(t *testing.T, test func(*testing.T)) { test(t) }}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// patience bounds a call, and a wait for what must come true.
const patience = 20 * time.Second

func callContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits until done reports true.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// require stops the test where a call failed that must not fail.
func require(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
