// Package storetest checks that a store keeps the rules of package store: one suite for checkpoints
// and one for dead letters. Each test is named after the rule that it checks. That of leases is
// for other implementers, too, in package
// [github.com/fwgen/fwgen/runtime/fwtest/leasetest].
//
// A suite reaches a store through its interface alone. What an interface can't do (delete a
// document, read a row) comes with the store under test as functions; where one is nil,
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

// stream is what the state under test is of.
const stream = "orders"

// patience bounds a call.
const patience = 20 * time.Second

func callContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// require stops the test where a call failed that must not fail.
func require(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
