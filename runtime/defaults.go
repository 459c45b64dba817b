package fw

import (
	"cmp"
	"time"
)

// The defaults that Stream and its policies document.
const (
	defaultWindow     = 10_000
	defaultRetention  = 30 * 24 * time.Hour
	defaultEvery      = 10_000
	defaultInterval   = time.Second
	defaultIdle       = time.Minute
	defaultTTL        = 60 * time.Second
	defaultHeartbeat  = 15 * time.Second
	defaultPoll       = 20 * time.Second
	defaultYield      = 3
	defaultMultiplier = 2
	defaultJitter     = 0.2
)

// withDefaults returns the stream with its defaults filled in, for an App configured by c.
func (s Stream) withDefaults(c Config) Stream {
	if s.Name == "" && len(s.Collections) == 1 {
		s.Name = s.Collections[0]
	}
	s.Database = cmp.Or(s.Database, c.Database)
	s.Mode = cmp.Or(s.Mode, AllInstances)
	s.Window = cmp.Or(s.Window, defaultWindow)
	s.Exhausted = cmp.Or(s.Exhausted, "stall")
	s.Retry = s.Retry.withDefaults()
	s.DLQ.Collection = cmp.Or(s.DLQ.Collection, c.Prefix+"_dlq")
	s.DLQ.Retention = cmp.Or(s.DLQ.Retention, defaultRetention)
	s.Checkpoint.Every = cmp.Or(s.Checkpoint.Every, defaultEvery)
	s.Checkpoint.Interval = cmp.Or(s.Checkpoint.Interval, defaultInterval)
	s.Checkpoint.Idle = cmp.Or(s.Checkpoint.Idle, defaultIdle)
	s.Lease.TTL = cmp.Or(s.Lease.TTL, defaultTTL)
	s.Lease.Heartbeat = cmp.Or(s.Lease.Heartbeat, defaultHeartbeat)
	s.Lease.Poll = cmp.Or(s.Lease.Poll, defaultPoll)
	s.Lease.Yield = cmp.Or(s.Lease.Yield, defaultYield)
	s.Restart = s.Restart.withDefaults()
	return s
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	p = p.withInitialAndMax()
	p.Attempts = cmp.Or(p.Attempts, 1)
	p.Multiplier = cmp.Or(p.Multiplier, defaultMultiplier)
	p.Jitter = max(cmp.Or(p.Jitter, defaultJitter), 0)
	return p
}

func (p RetryPolicy) withInitialAndMax() RetryPolicy {
	p.Initial = cmp.Or(p.Initial, 500*time.Millisecond)
	p.Max = cmp.Or(p.Max, 30*time.Second)
	return p
}

func (p RestartPolicy) withDefaults() RestartPolicy {
	p = p.withInitialAndMax()
	p.Multiplier = cmp.Or(p.Multiplier, defaultMultiplier)
	p.Jitter = max(cmp.Or(p.Jitter, defaultJitter), 0)
	return p
}

func (p RestartPolicy) withInitialAndMax() RestartPolicy {
	p.Initial = cmp.Or(p.Initial, time.Second)
	p.Max = cmp.Or(p.Max, 60*time.Second)
	return p
}

// retryable returns what On and Except say, nil if every error is retried.
func (p RetryPolicy) retryable() func(error) bool {
	if len(p.On) == 0 && len(p.Except) == 0 {
		return nil
	}
	return func(err error) bool {
		return !anyMatch(p.Except, err) && (len(p.On) == 0 || anyMatch(p.On, err))
	}
}
