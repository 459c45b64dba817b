package spec

var retry = &Verb{
	Name: "retry", Target: OnType,
	Doc: "Attempts failed events again. The wait before attempt n+1 is\n" +
		"min(initial × multiplier^(n-1), max), more or less by jitter.",
	Keys: []*Option{
		{Name: "attempts", Kind: Int, Default: "3", Min: "1",
			Doc: "Attempts in all, the first included."},
		{Name: "initial", Kind: Duration, Default: "500ms", Positive: true, Doc: "The first wait."},
		{Name: "multiplier", Kind: Factor, Default: "2", Min: "1", Max: "100",
			Doc: "What each wait is multiplied with."},
		{Name: "max", Kind: Duration, Default: "30s", Positive: true, Doc: "The longest wait."},
		{Name: "jitter", Kind: Percent, Default: "20%", Min: "0%", Max: "100%",
			Doc: "By how much a wait varies."},
		{Name: "on", Kind: Error, List: true, Doc: "The only errors that are retried. All."},
		{Name: "except", Kind: Error, List: true,
			Doc: "Errors that are never retried. Wins over on."},
	},
}

var dlq = &Verb{
	Name: "dlq", Target: OnType,
	Doc: "Stores events that could not be handled as dead letters.",
	Keys: []*Option{
		{Name: "collection", Kind: Collection, Default: "_fw_dlq", Doc: "Where they are stored."},
		{Name: "retention", Kind: Duration, Default: "30d", Min: "0s",
			Doc: "How long a dead letter is kept; 0 for ever."},
		{Name: "document", Kind: Bool, Default: "true", Doc: "Whether it keeps the documents."},
		{Name: "stack", Kind: Bool, Default: "true", Doc: "Whether it keeps a panic's stack."},
		{Name: "on_failure", Kind: Enum, Default: "block", Missing: true, Values: []Value{
			{Name: "block"}, {Name: "stop"}, {Name: "drop"},
		}, Doc: "What happens when a dead letter cannot be stored."},
		{Name: "breaker", Kind: Int, Min: "1", Missing: true,
			Doc: "Dead letters in a row after which the stream stalls. Off."},
	},
}

var checkpoint = &Verb{
	Name: "checkpoint", Target: OnType,
	Doc: "Says how often the position is stored, and where a new stream begins.",
	Keys: []*Option{
		{Name: "every", Kind: Int, Default: "10000", Min: "1",
			Doc: "After so many settled events, or interval, whichever is first."},
		{Name: "interval", Kind: Duration, Default: "1s", Min: "10ms",
			Doc: "After so much time, or every, whichever is first."},
		{Name: "idle", Kind: Duration, Default: "1m", Min: "10ms",
			Doc: "How often a stream without events stores how far it has read."},
		{Name: "start", Kind: Instant, Default: "now", Values: []Value{
			{Name: "now", Doc: "with the next event"},
			{Name: "oldest", Doc: "with the oldest event in the oplog", Missing: true},
		}, Doc: "Where a new stream begins. A stored position always wins."},
		{Name: "on_history_lost", Kind: Enum, Default: "stop", Missing: true, Values: []Value{
			{Name: "stop"}, {Name: "now"}, {Name: "oldest"},
		}, Doc: "What happens when the oplog no longer reaches back to the position."},
	},
}

var lease = &Verb{
	Name: "lease", Target: OnType,
	Doc: "Tunes the leadership of a stream with mode=single_leader.",
	Keys: []*Option{
		{Name: "ttl", Kind: Duration, Default: "60s", Positive: true,
			Doc: "How long a lease outlives its owner. At least three heartbeats."},
		{Name: "heartbeat", Kind: Duration, Default: "15s", Min: "100ms",
			Doc: "How often a leader renews its lease."},
		{Name: "poll", Kind: Duration, Default: "20s", Min: "100ms",
			Doc: "How often a standby looks, where it cannot watch."},
		{Name: "priority", Kind: Int, Default: "0", Min: "-1000000", Max: "1000000",
			Doc: "A leader steps down for a live instance of a strictly higher priority."},
		{Name: "yield", Kind: Int, Default: "3", Min: "1",
			Doc: "Failures of a leader's reader in a row, without progress, after which it hands the " +
				"stream over if another live instance deploys it."},
	},
}

var restart = &Verb{
	Name: "restart", Target: OnType,
	Doc: "Says how a stream whose reader failed is opened again.",
	Keys: []*Option{
		{Name: "attempts", Kind: Int, Default: "0", Min: "0",
			Doc: "Failures in a row after which the stream fails; 0 for none."},
		{Name: "initial", Kind: Duration, Default: "1s", Positive: true, Doc: "The first wait."},
		{Name: "multiplier", Kind: Factor, Default: "2", Min: "1", Max: "100",
			Doc: "What each wait is multiplied with."},
		{Name: "max", Kind: Duration, Default: "60s", Positive: true, Doc: "The longest wait."},
		{Name: "jitter", Kind: Percent, Default: "20%", Min: "0%", Max: "100%",
			Doc: "By how much a wait varies."},
	},
}
