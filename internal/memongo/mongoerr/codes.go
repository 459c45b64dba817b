package mongoerr

// Codes that the server's packages answer with, by the server's names.
const (
	InternalError                int32 = 1
	BadValue                     int32 = 2
	NoSuchKey                    int32 = 4
	HostUnreachable              int32 = 6
	FailedToParse                int32 = 9
	Unauthorized                 int32 = 13
	TypeMismatch                 int32 = 14
	Overflow                     int32 = 15
	InvalidBSON                  int32 = 22
	IllegalOperation             int32 = 20
	NamespaceNotFound            int32 = 26
	IndexNotFound                int32 = 27
	PathNotViable                int32 = 28
	ConflictingUpdateOperators   int32 = 40
	CursorNotFound               int32 = 43
	NoMatchingDocument           int32 = 47
	NamespaceExists              int32 = 48
	MaxTimeMSExpired             int32 = 50
	DollarPrefixedFieldName      int32 = 52
	InvalidIDField               int32 = 53
	EmptyFieldName               int32 = 56
	DottedFieldName              int32 = 57
	CommandNotFound              int32 = 59
	ImmutableField               int32 = 66
	CannotCreateIndex            int32 = 67
	InvalidOptions               int32 = 72
	InvalidNamespace             int32 = 73
	WriteConcernFailed           int32 = 64
	NoReplicationEnabled         int32 = 76
	UnknownReplWriteConcern      int32 = 79
	IndexAlreadyExists           int32 = 68
	IndexOptionsConflict         int32 = 85
	IndexKeySpecsConflict        int32 = 86
	PrimarySteppedDown           int32 = 189
	ShutdownInProgress           int32 = 91
	CursorKilled                 int32 = 237
	UnsatisfiableWriteConcern    int32 = 100
	ExceededTimeLimit            int32 = 262
	IncompleteTransactionHistory int32 = 217
	LockTimeout                  int32 = 24
	SnapshotUnavailable          int32 = 246
	ConflictingOperation         int32 = 117
	InvalidLength                int32 = 16
	CommandFailed                int32 = 125
	QueryPlanKilled              int32 = 175
	UnsupportedOpQueryCommand    int32 = 352
	StageOfSeveralFields         int32 = 40323
	WriteConflict                int32 = 112
	DocumentValidationFailure    int32 = 121
	CappedPositionLost           int32 = 136
	CommandNotSupportedOnView    int32 = 166
	OptionNotSupportedOnView     int32 = 167
	InvalidPipelineOperator      int32 = 168
	CannotIndexParallelArrays    int32 = 171
	InvalidIndexSpecification    int32 = 197
	TransactionTooOld            int32 = 225
	QueryFeatureNotAllowed       int32 = 224
	CursorInUse                  int32 = 12051
	NotImplemented               int32 = 238
	ConversionFailure            int32 = 241
	NoSuchTransaction            int32 = 251
	TransactionCommitted         int32 = 256
	TransactionTooLarge          int32 = 257
	InvalidResumeToken           int32 = 260
	OperationNotSupportedInTxn   int32 = 263
	FailPointNotFound            int32 = 266
	ChangeStreamFatalError       int32 = 280
	ChangeStreamHistoryLost      int32 = 286
	TransactionExceededLifetime  int32 = 290
	NotWritablePrimary           int32 = 10107
	DuplicateKey                 int32 = 11000
	Interrupted                  int32 = 11601
	InterruptedDueToReplState    int32 = 11602
	BSONObjectTooLarge           int32 = 10334
	NotPrimaryNoSecondaryOk      int32 = 13435
	NotPrimaryOrSecondary        int32 = 13436
	DuplicateField               int32 = 40413
	UnknownField                 int32 = 40415
	UnrecognizedStage            int32 = 40324
	MultipleResumeOptions        int32 = 40674
	ResumeTokenNotADocument      int32 = 40647
	ResumeTokenEmpty             int32 = 40649
	KeyStringFormat              int32 = 50811
	KeyStringUnterminated        int32 = 50816
	SplitEventFragmentNotTheLast int32 = 7182802
)

// names are the codes' names where the server has one; the others are Location and the number.
var names = map[int32]string{
	InternalError:                "InternalError",
	BadValue:                     "BadValue",
	NoSuchKey:                    "NoSuchKey",
	HostUnreachable:              "HostUnreachable",
	FailedToParse:                "FailedToParse",
	Unauthorized:                 "Unauthorized",
	TypeMismatch:                 "TypeMismatch",
	Overflow:                     "Overflow",
	InvalidBSON:                  "InvalidBSON",
	IllegalOperation:             "IllegalOperation",
	NamespaceNotFound:            "NamespaceNotFound",
	IndexNotFound:                "IndexNotFound",
	PathNotViable:                "PathNotViable",
	ConflictingUpdateOperators:   "ConflictingUpdateOperators",
	CursorNotFound:               "CursorNotFound",
	NoMatchingDocument:           "NoMatchingDocument",
	NamespaceExists:              "NamespaceExists",
	MaxTimeMSExpired:             "MaxTimeMSExpired",
	DollarPrefixedFieldName:      "DollarPrefixedFieldName",
	InvalidIDField:               "InvalidIdField",
	EmptyFieldName:               "EmptyFieldName",
	DottedFieldName:              "DottedFieldName",
	CommandNotFound:              "CommandNotFound",
	ImmutableField:               "ImmutableField",
	CannotCreateIndex:            "CannotCreateIndex",
	InvalidOptions:               "InvalidOptions",
	InvalidNamespace:             "InvalidNamespace",
	WriteConcernFailed:           "WriteConcernFailed",
	NoReplicationEnabled:         "NoReplicationEnabled",
	UnknownReplWriteConcern:      "UnknownReplWriteConcern",
	IndexAlreadyExists:           "IndexAlreadyExists",
	IndexOptionsConflict:         "IndexOptionsConflict",
	IndexKeySpecsConflict:        "IndexKeySpecsConflict",
	PrimarySteppedDown:           "PrimarySteppedDown",
	ShutdownInProgress:           "ShutdownInProgress",
	CursorKilled:                 "CursorKilled",
	UnsatisfiableWriteConcern:    "UnsatisfiableWriteConcern",
	ExceededTimeLimit:            "ExceededTimeLimit",
	InvalidLength:                "InvalidLength",
	CannotIndexParallelArrays:    "CannotIndexParallelArrays",
	InvalidIndexSpecification:    "InvalidIndexSpecificationOption",
	11600:                        "InterruptedAtShutdown",
	9001:                         "SocketException",
	322:                          "APIVersionError",
	50768:                        "NotARetryableWriteCommand",
	89:                           "NetworkTimeout",
	7:                            "HostNotFound",
	134:                          "ReadConcernMajorityNotAvailableYet",
	18:                           "AuthenticationFailed",
	96:                           "OperationFailed",
	211:                          "KeyNotFound",
	CommandFailed:                "CommandFailed",
	QueryPlanKilled:              "QueryPlanKilled",
	UnsupportedOpQueryCommand:    "UnsupportedOpQueryCommand",
	WriteConflict:                "WriteConflict",
	ConflictingOperation:         "ConflictingOperationInProgress",
	LockTimeout:                  "LockTimeout",
	SnapshotUnavailable:          "SnapshotUnavailable",
	DocumentValidationFailure:    "DocumentValidationFailure",
	CappedPositionLost:           "CappedPositionLost",
	CommandNotSupportedOnView:    "CommandNotSupportedOnView",
	OptionNotSupportedOnView:     "OptionNotSupportedOnView",
	InvalidPipelineOperator:      "InvalidPipelineOperator",
	TransactionTooOld:            "TransactionTooOld",
	IncompleteTransactionHistory: "IncompleteTransactionHistory",
	QueryFeatureNotAllowed:       "QueryFeatureNotAllowed",
	CursorInUse:                  "CursorInUse",
	NotImplemented:               "NotImplemented",
	ConversionFailure:            "ConversionFailure",
	NoSuchTransaction:            "NoSuchTransaction",
	TransactionCommitted:         "TransactionCommitted",
	TransactionTooLarge:          "TransactionTooLarge",
	InvalidResumeToken:           "InvalidResumeToken",
	OperationNotSupportedInTxn:   "OperationNotSupportedInTransaction",
	FailPointNotFound:            "FailPointSetFailed",
	ChangeStreamFatalError:       "ChangeStreamFatalError",
	ChangeStreamHistoryLost:      "ChangeStreamHistoryLost",
	TransactionExceededLifetime:  "TransactionExceededLifetimeLimitSeconds",
	NotWritablePrimary:           "NotWritablePrimary",
	DuplicateKey:                 "DuplicateKey",
	Interrupted:                  "Interrupted",
	InterruptedDueToReplState:    "InterruptedDueToReplStateChange",
	BSONObjectTooLarge:           "BSONObjectTooLarge",
	NotPrimaryNoSecondaryOk:      "NotPrimaryNoSecondaryOk",
	NotPrimaryOrSecondary:        "NotPrimaryOrSecondary",
}
