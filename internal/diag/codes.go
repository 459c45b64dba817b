package diag

import "fmt"

// Code identifies a kind of problem. Codes are part of what users script against: a code keeps its
// number and its meaning for ever, and the number of a retired one is not used again.
type Code int

// String returns the code as it is printed, as in FW1101.
func (c Code) String() string { return fmt.Sprintf("FW%04d", int(c)) }

// Where a directive stands.
const (
	NearMiss       Code = 1001
	UnknownVerb    Code = 1002
	Detached       Code = 1003
	Misplaced      Code = 1004
	Trailing       Code = 1005
	WrongTarget    Code = 1006
	RepeatedVerb   Code = 1007
	NoChangestream Code = 1008
)

// What a directive says.
const (
	BadSyntax        Code = 1101
	UnknownKey       Code = 1102
	RepeatedKey      Code = 1103
	ValueExpected    Code = 1104
	UnknownValue     Code = 1105
	WrongKind        Code = 1106
	OutOfRange       Code = 1107
	BadName          Code = 1108
	MissingKey       Code = 1109
	UnavailableKey   Code = 1110
	UnavailableValue Code = 1111
	RepeatedElement  Code = 1112
	OneValueOnly     Code = 1113
)

// What two settings say together.
const (
	AttemptsTwice     Code = 1201
	LeaseWithoutOwner Code = 1202
	ShortTTL          Code = 1203
	ExceptSwallowsOn  Code = 1204
	NeedsLookup       Code = 1205
	StateCollection   Code = 1206
	ExhaustedWithDLQ  Code = 1207
	MaxBelowInitial   Code = 1208
	DLQTwice          Code = 1209
)

// The type that carries the directives.
const (
	GenericHandler Code = 2001
	FWStreamTaken  Code = 2002
	Shadowed       Code = 2003
	NoMethods      Code = 2004
)

// Its methods.
const (
	BadSignature  Code = 2101
	NearMethod    Code = 2102
	RepeatedRole  Code = 2103
	TypesDisagree Code = 2104
	BadDocument   Code = 2105
	RoleMismatch  Code = 2106
	Unreachable   Code = 2107
)

// Names that directives and methods refer to.
const (
	Undeclared   Code = 2201
	NotAnError   Code = 2202
	Inaccessible Code = 2203
	Unresolved   Code = 2204
)

// Several streams together.
const (
	DuplicateStream Code = 2301
)

// The files that fwgen writes.
const (
	Stale   Code = 3001
	Missing Code = 3002
	Orphan  Code = 3003
	Foreign Code = 3004
)

// Finding and reading packages.
const (
	SyntaxError Code = 4001
	Excluded    Code = 4002
	Constrained Code = 4004
	NoRuntime   Code = 4005
)

// Internal is a mistake of fwgen itself.
const Internal Code = 9001
