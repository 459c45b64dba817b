package diag

// Entry explains a code.
type Entry struct {
	Code  Code
	Title string
}

// Catalog lists every code there is, by number. Nothing is reported under a code that is not here.
func Catalog() []Entry {
	return []Entry{
		{NearMiss, "a comment that is nearly a directive"},
		{UnknownVerb, "a directive whose verb does not exist"},
		{Detached, "a directive that belongs to no declaration"},
		{Misplaced, "a directive on a declaration that cannot have one"},
		{Trailing, "a directive behind code on the same line"},
		{WrongTarget, "a type's directive on a method, or the other way round"},
		{RepeatedVerb, "the same directive twice on one declaration"},
		{NoChangestream, "a directive of a stream without //fw:changestream"},

		{BadSyntax, "an argument that does not follow the grammar"},
		{UnknownKey, "a key that does not exist"},
		{RepeatedKey, "the same key twice"},
		{ValueExpected, "a key without its value, or a flag with one"},
		{UnknownValue, "a value that is not among the valid ones"},
		{WrongKind, "a value of another kind: a word for a number"},
		{OutOfRange, "a number or duration outside its range"},
		{BadName, "a name that MongoDB does not accept"},
		{MissingKey, "a required key that is missing"},
		{UnavailableKey, "a key that this release does not have yet"},
		{UnavailableValue, "a value that this release does not have yet"},
		{RepeatedElement, "the same element twice in a list"},
		{OneValueOnly, "a list where one value is expected"},

		{AttemptsTwice, "two different numbers of attempts"},
		{LeaseWithoutOwner, "a lease on a stream that has no leader"},
		{ShortTTL, "a lease that lives for less than three heartbeats"},
		{ExceptSwallowsOn, "an except= that leaves nothing of on="},
		{NeedsLookup, "a method that needs the document, with fulldocument=off"},
		{StateCollection, "a collection that holds the runtime's own state"},
		{ExhaustedWithDLQ, "exhausted= on a stream with dead letters"},
		{MaxBelowInitial, "a longest wait that is shorter than the first"},
		{DLQTwice, "two different collections for dead letters"},

		{GenericHandler, "a handler with type parameters"},
		{FWStreamTaken, "a handler that has an FWStream of its own"},
		{Shadowed, "a predeclared name that the package declares anew"},
		{NoMethods, "a handler without methods that handle anything"},

		{BadSignature, "a handler method with another signature"},
		{NearMethod, "a method that is nearly a handler method"},
		{RepeatedRole, "two methods for the same thing"},
		{TypesDisagree, "methods with different document types"},
		{BadDocument, "a type that cannot be a document"},
		{RoleMismatch, "a method whose name and directive disagree"},
		{Unreachable, "an error that an earlier method already takes"},

		{Undeclared, "a name that is not declared"},
		{NotAnError, "a name that is neither an error value nor an error type"},
		{Inaccessible, "a name that this package may not use"},
		{Unresolved, "a type that could not be resolved"},

		{DuplicateStream, "two streams of the same name"},

		{Stale, "a generated file that is out of date"},
		{Missing, "a generated file that does not exist"},
		{Orphan, "a generated file that nothing needs any more"},
		{Foreign, "a file of fwgen's name that fwgen did not write"},

		{SyntaxError, "a file that is not Go"},
		{Excluded, "a directive in a file that this run leaves out"},
		{Constrained, "a build constraint that the output cannot have"},
		{NoRuntime, "a module without fwgen's runtime package"},

		{Internal, "a mistake of fwgen itself"},
	}
}

// Chapter names the group of problems that a code belongs to.
func Chapter(code Code) string {
	return map[Code]string{
		10: "Where a directive stands",
		11: "What a directive says",
		12: "What two settings say together",
		20: "The type that carries the directives",
		21: "Its methods",
		22: "Names that directives and methods refer to",
		23: "Several streams together",
		30: "The files that fwgen writes",
		40: "Finding and reading packages",
		90: "fwgen itself",
	}[code/100]
}
