package spec

// Verbs is the table. Its order is the order of documentation.
var Verbs = []*Verb{
	changestream, retry, dlq, checkpoint, lease, restart,
	on, filter, pipeline, onError, ignore,
}

var changestream = &Verb{
	Name: "changestream", Target: OnType,
	Doc: "Makes a struct the handler of a change stream.",
	Keys: []*Option{
		{Name: "collection", Kind: Collection, List: true, Required: true,
			Values: []Value{{Name: "*", Doc: "the whole database", Missing: true}},
			Doc:    "The collection that is watched."},
		{Name: "database", Kind: Database, Doc: "Its database, if it is not the application's."},
		{Name: "name", Kind: Stream,
			Doc: "Identifies the stream, its lease and its position. The collection's name."},
		{Name: "mode", Kind: Enum, Default: "all_instances", Values: []Value{
			{Name: "all_instances", Doc: "every instance sees every event"},
			{Name: "single_leader", Doc: "one instance at a time, with a lease"},
			{Name: "partitioned", Doc: "keys are spread over the instances", Missing: true},
		}, Doc: "On which instances of the application the stream runs."},
		{Name: "partitions", Kind: Int, Default: "16", Min: "1", Missing: true,
			Doc: "Into how many parts mode=partitioned divides the keys."},
		{Name: "doc", Kind: Type, Doc: "The document type, where no method shows it."},
		{Name: "fulldocument", Kind: Enum, Default: "update_lookup", Values: []Value{
			{Name: "update_lookup", Doc: "the document as it is when the server looks it up"},
			{Name: "off", Doc: "updates carry no document"},
			{Name: "when_available", Doc: "the post-image, if there is one", Missing: true},
			{Name: "required", Doc: "the post-image", Missing: true},
		}, Doc: "Which document an update carries, where an update handler exists."},
		{Name: "before", Kind: Enum, Default: "off", Missing: true, Values: []Value{
			{Name: "off"}, {Name: "when_available"}, {Name: "required"},
		}, Doc: "Whether events carry the document as it was before."},
		{Name: "retry", Kind: Int, Default: "1", Min: "1",
			Doc: "Attempts in all, the first included."},
		{Name: "dlq", Kind: Collection, Bare: true,
			Doc: "Stores events that could not be handled as dead letters."},
		{Name: "exhausted", Kind: Enum, Default: "stall", Values: []Value{
			{Name: "stall", Doc: "the stream waits for an operator"},
			{Name: "skip", Doc: "the event is given up"},
		}, Doc: "What happens when no attempts are left, where there is no dlq."},
		{Name: "timeout", Kind: Duration, Positive: true,
			Doc: "How long one attempt may take. None."},
		{Name: "workers", Kind: Int, Default: "1", Min: "1", Missing: true,
			Doc: "How many events are handled at the same time."},
		{Name: "window", Kind: Int, Default: "10000", Min: "1",
			Doc: "Events from the oldest unsettled one to the reader, at most."},
		{Name: "key", Kind: Path, Missing: true,
			Doc: "The field that orders events with several workers. The document key."},
		{Name: "oversize", Kind: Enum, Missing: true, Values: []Value{
			{Name: "split"}, {Name: "stall"}, {Name: "skip"}, {Name: "dlq"},
		}, Doc: "What happens with an event that is too large for the server to send."},
		{Name: "on_rename", Kind: Enum, Default: "stop", Missing: true, Values: []Value{
			{Name: "stop"}, {Name: "follow"},
		}, Doc: "What happens when the collection is renamed."},
		{Name: "transactional", Kind: Flag, Missing: true,
			Doc: "Commits the handler's effects and the position together."},
		{Name: "batch", Kind: Int, Min: "1", Missing: true, Doc: "Events that are handled at once."},
		{Name: "linger", Kind: Duration, Positive: true, Missing: true,
			Doc: "How long a batch waits to be filled."},
		{Name: "enabled", Kind: Bool, Default: "true",
			Doc: "Whether the stream runs at all. A disabled one is listed, and never runs."},
		{Name: "autostart", Kind: Bool, Default: "true",
			Doc: "Whether the stream starts with the application, or when an operator says so."},
		{Name: "description", Kind: Text, Doc: "A word for operators about what the stream does."},
		{Name: "zone", Kind: Text, Doc: "A word for operators about where the stream belongs."},
	},
}

var on = &Verb{
	Name: "on", Target: OnMethod,
	Doc: "Makes a method of any name the handler of the listed operations.",
	Arg: &Option{Kind: Enum, List: true, Required: true, Values: []Value{
		{Name: "insert"}, {Name: "update"}, {Name: "replace"}, {Name: "delete"},
		{Name: "change", Doc: "every operation without a method of its own"},
	}, Doc: "The operations."},
}

var filter = &Verb{
	Name: "filter", Target: OnMethod,
	Doc: "Makes a method of any name decide which events are handled.",
}

var pipeline = &Verb{
	Name: "pipeline", Target: OnMethod,
	Doc: "Makes a method of any name give the stages that the server filters with.",
}

var onError = &Verb{
	Name: "onerror", Target: OnMethod,
	Doc: "Makes a method of any name decide about the listed errors; about all others when bare.",
	Arg: &Option{Kind: Error, List: true, Bare: true, Doc: "Error values and types."},
}

var ignore = &Verb{
	Name: "ignore", Target: OnMethod,
	Doc: "Says that a method is none of fwgen's, although its name looks like it.",
}
