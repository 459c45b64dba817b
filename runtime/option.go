package fw

import "time"

// AddOption overrides, for one deployment, what a directive says. See [App.Add].
type AddOption func(*Stream)

// WithName gives the stream another name: another lease, position and set of dead letters.
func WithName(name string) AddOption { return func(s *Stream) { s.Name = name } }

// WithDatabase watches another database.
func WithDatabase(name string) AddOption { return func(s *Stream) { s.Database = name } }

// WithMode runs the stream in another mode.
func WithMode(mode Mode) AddOption { return func(s *Stream) { s.Mode = mode } }

// WithEnabled turns the stream on or off.
func WithEnabled(enabled bool) AddOption { return func(s *Stream) { s.Disabled = !enabled } }

// WithAutostart says whether the stream starts by itself, or waits for [App.Start].
func WithAutostart(auto bool) AddOption { return func(s *Stream) { s.ManualStart = !auto } }

// WithRetry replaces the retry policy, On and Except included.
func WithRetry(p RetryPolicy) AddOption { return func(s *Stream) { s.Retry = p } }

// WithDLQ replaces the dead-letter policy.
func WithDLQ(p DLQPolicy) AddOption { return func(s *Stream) { s.DLQ = p } }

// WithCheckpoint replaces the checkpoint policy.
func WithCheckpoint(p CheckpointPolicy) AddOption { return func(s *Stream) { s.Checkpoint = p } }

// WithLease replaces the lease policy.
func WithLease(p LeasePolicy) AddOption { return func(s *Stream) { s.Lease = p } }

// WithRestart replaces the restart policy.
func WithRestart(p RestartPolicy) AddOption { return func(s *Stream) { s.Restart = p } }

// WithTimeout bounds one attempt; zero: not at all.
func WithTimeout(d time.Duration) AddOption { return func(s *Stream) { s.Timeout = d } }

// WithWindow sets the largest number of events from the oldest unsettled one to the reader.
func WithWindow(events int) AddOption { return func(s *Stream) { s.Window = events } }
