package fw

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func nothing(context.Context, *Event[bson.Raw]) error { return nil }

// valid is a stream without a fault.
func valid() Stream {
	return Stream{
		Collections: []string{"orders"}, Handle: Typed(Handlers[bson.Raw]{Insert: nothing}),
	}
}

func TestValidStreams(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Stream){
		"defaults": func(*Stream) {},
		"leader": func(s *Stream) {
			s.Mode = SingleLeader
			s.Lease = LeasePolicy{TTL: 3 * time.Second, Heartbeat: time.Second}
		},
		"offs": func(s *Stream) {
			s.Retry.Jitter, s.Restart.Jitter, s.DLQ.Retention = -1, -1, -1
			s.FullDocument, s.Before = "off", "off"
		},
		"skip": func(s *Stream) { s.Exhausted = "skip" },
		"one worker": func(s *Stream) {
			s.Workers, s.DLQ.OnFailure, s.Checkpoint.Start = 1, "block", "now"
			s.Checkpoint.OnHistoryLost = "stop"
		},
		"names": func(s *Stream) { s.Name, s.Collections = "日本 bills", []string{"order items"} },
		"catch-all": func(s *Stream) {
			s.Handle = Typed(Handlers[bson.Raw]{Change: nothing,
				OnError: []OnError[bson.Raw]{{Handle: func(
					context.Context, error, *Event[bson.Raw]) ErrorAction {
					return ActionRethrow
				}}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := valid()
			change(&s)
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEveryBadValueIsNamed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*Stream)
		says   string
	}{
		"no name":          {func(s *Stream) { s.Collections = []string{"a", "b"} }, "Name is empty"},
		"slash":            {func(s *Stream) { s.Name = "a/b" }, `Name "a/b"`},
		"hash":             {func(s *Stream) { s.Name = "a#b" }, `Name "a#b"`},
		"null":             {func(s *Stream) { s.Name = "a\x00b" }, "Name"},
		"empty collection": {func(s *Stream) { s.Collections = []string{""} }, "Collections"},
		"system":           {func(s *Stream) { s.Collections = []string{"system.profile"} }, "Collections"},
		"dollar":           {func(s *Stream) { s.Collections = []string{"a$b"} }, `"a$b"`},
		"database":         {func(s *Stream) { s.Database = "a b" }, `Database "a b"`},
		"long database":    {func(s *Stream) { s.Database = strings.Repeat("x", 64) }, "Database"},
		"mode":             {func(s *Stream) { s.Mode = "single-leader" }, "single_leader"},
		"nothing":          {func(s *Stream) { s.Handle = nil }, "Handle is not set"},
		"no function":      {func(s *Stream) { s.Handle = Typed(Handlers[bson.Raw]{}) }, "Insert"},
		"only a filter": {func(s *Stream) {
			s.Handle = Typed(Handlers[bson.Raw]{Filter: func(
				context.Context, *Event[bson.Raw]) (bool, error) {
				return true, nil
			}})
		}, "no function"},
		"empty OnError": {func(s *Stream) {
			s.Handle = Typed(Handlers[bson.Raw]{Insert: nothing, OnError: make([]OnError[bson.Raw], 1)})
		}, "OnError"},
		"full document": {func(s *Stream) { s.FullDocument = "always" }, `FullDocument "always"`},
		"workers":       {func(s *Stream) { s.Workers = -1 }, "Workers"},
		"window":        {func(s *Stream) { s.Window = -1 }, "Window"},
		"timeout":       {func(s *Stream) { s.Timeout = -1 }, "Timeout"},
		"exhausted":     {func(s *Stream) { s.Exhausted = "stop" }, `Exhausted "stop"`},
		"exhausted beside dlq": {func(s *Stream) {
			s.Exhausted, s.DLQ.Enabled = "skip", true
		}, "Exhausted"},
		"attempts":         {func(s *Stream) { s.Retry.Attempts = -1 }, "Retry.Attempts"},
		"initial":          {func(s *Stream) { s.Retry.Initial = -1 }, "Retry.Initial"},
		"max":              {func(s *Stream) { s.Retry.Max = -1 }, "Retry.Max"},
		"max and initial":  {func(s *Stream) { s.Retry.Initial, s.Retry.Max = 2, 1 }, "Retry.Max"},
		"multiplier":       {func(s *Stream) { s.Retry.Multiplier = 0.5 }, "Retry.Multiplier"},
		"multiplier NaN":   {func(s *Stream) { s.Retry.Multiplier = math.NaN() }, "Retry.Multiplier"},
		"huge multiplier":  {func(s *Stream) { s.Restart.Multiplier = 101 }, "Restart.Multiplier"},
		"jitter":           {func(s *Stream) { s.Retry.Jitter = 1.5 }, "Retry.Jitter"},
		"jitter NaN":       {func(s *Stream) { s.Restart.Jitter = math.NaN() }, "Restart.Jitter"},
		"restart attempts": {func(s *Stream) { s.Restart.Attempts = -1 }, "Restart.Attempts"},
		"dlq collection":   {func(s *Stream) { s.DLQ.Collection = "a$b" }, "DLQ.Collection"},
		"dlq failure":      {func(s *Stream) { s.DLQ.OnFailure = "panic" }, "DLQ.OnFailure"},
		"every":            {func(s *Stream) { s.Checkpoint.Every = -1 }, "Checkpoint.Every"},
		"interval":         {func(s *Stream) { s.Checkpoint.Interval = -1 }, "Checkpoint.Interval"},
		"idle":             {func(s *Stream) { s.Checkpoint.Idle = -1 }, "Checkpoint.Idle"},
		"lease everywhere": {func(s *Stream) { s.Lease.TTL = time.Hour }, "Lease has no effect"},
		"ttl": {func(s *Stream) {
			s.Mode, s.Lease.TTL = SingleLeader, 44*time.Second
		}, "three heartbeats"},
		"high priority": {func(s *Stream) {
			s.Mode, s.Lease.Priority = SingleLeader, 1_000_001
		}, "Lease.Priority"},
		"low priority": {func(s *Stream) {
			s.Mode, s.Lease.Priority = SingleLeader, -1_000_001
		}, "Lease.Priority"},
		"negative poll": {func(s *Stream) { s.Mode, s.Lease.Poll = SingleLeader, -1 }, "Lease.Poll"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := valid()
			test.change(&s)
			err := s.Validate()
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want an error that says %q", err, test.says)
			}
		})
	}
}

func TestWhatIsNotAvailableIsRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Stream){
		"database":    func(s *Stream) { s.Name, s.Collections = "all", nil },
		"collections": func(s *Stream) { s.Name, s.Collections = "two", []string{"a", "b"} },
		"partitioned": func(s *Stream) { s.Mode = Partitioned },
		"required":    func(s *Stream) { s.FullDocument = "required" },
		"before":      func(s *Stream) { s.Before = "when_available" },
		"workers":     func(s *Stream) { s.Workers = 2 },
		"key":         func(s *Stream) { s.Key = "customer" },
		"oversize":    func(s *Stream) { s.Oversize = "split" },
		"rename":      func(s *Stream) { s.OnRename = "follow" },
		"dlq stop":    func(s *Stream) { s.DLQ.OnFailure = "stop" },
		"dlq drop":    func(s *Stream) { s.DLQ.OnFailure = "drop" },
		"breaker":     func(s *Stream) { s.DLQ.Breaker = 3 },
		"oldest":      func(s *Stream) { s.Checkpoint.Start = "oldest" },
		"history":     func(s *Stream) { s.Checkpoint.OnHistoryLost = "now" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := valid()
			change(&s)
			if err := s.Validate(); err == nil ||
				!strings.Contains(err.Error(), "not available in this release") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAllFaultsAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	s := valid()
	s.Window, s.Timeout, s.Retry.Attempts = -1, -1, -1
	err := s.Validate()
	for _, part := range []string{"Window", "Timeout", "Retry.Attempts"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %s", err, part)
		}
	}
}

// touchy is an error whose Is panics.
type touchy struct{ error }

func (touchy) Is(error) bool { panic("touched") }

func TestErrorWhoseIsPanicsIsNotMatched(t *testing.T) {
	t.Parallel()
	p := RetryPolicy{Except: []ErrorMatch{MatchValue(io.EOF)}}
	if !p.retryable()(touchy{errors.New("x")}) {
		t.Error("it counts as excepted")
	}
}

func TestPermanentOfNothingIsNothing(t *testing.T) {
	t.Parallel()
	if err := Permanent(nil); err != nil {
		t.Errorf("Permanent(nil) = %v", err)
	}
}
