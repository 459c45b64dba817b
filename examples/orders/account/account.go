// Package account tells a person what happens, line by line, with the time since the beginning.
package account

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Account tells what happens. Its methods are safe for concurrent use.
type Account struct {
	out   io.Writer
	begun time.Time

	mu sync.Mutex // guards out
}

// New returns an account of what begins at some time.
func New(out io.Writer, begun time.Time) *Account {
	return &Account{out: out, begun: begun}
}

// Begun returns when it began.
func (a *Account) Begun() time.Time { return a.begun }

// Say tells what happens now.
func (a *Account) Say(format string, args ...any) {
	a.At(time.Now(), format, args...)
}

// At tells what happened at some time.
func (a *Account) At(when time.Time, format string, args ...any) {
	a.Print("%6.1f s  %s", when.Sub(a.begun).Seconds(), fmt.Sprintf(format, args...))
}

// Headline begins a part of the story.
func (a *Account) Headline(text string) { a.Print("\n%s", text) }

// Print prints a line without a time.
func (a *Account) Print(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = fmt.Fprintf(a.out, format+"\n", args...) // nobody is left to be told of an error
}

// Short writes a duration as people do.
func Short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
