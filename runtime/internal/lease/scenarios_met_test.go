package lease_test

var otherScenarios = []scenario{
	{id: "X1", what: "a lease that is deleted by hand brings no term back", held: []string{
		"leasetest ADeletedLeaseBeginsAboveTheTermAskedFor",
		"lease TestALeaseThatWasDeletedByHandDoesNotBringTermsBack",
		"supervisor TestTakeOverAboveATermThatTheLeaseForgot",
		"integration TestLeaderWhoseLeaseIsDeletedGetsAGreaterTerm",
		"integration TestLeaseDeletedByHandDoesNotBringTheTermBack",
	}},
	{id: "X2", what: "a server's clock that is set makes no two leaders", held: []string{
		"lease TestAServerWhoseClockIsAHeartbeatAheadTakesOverNoTrustedLease",
		"lease TestAServerWhoseClockIsSetBackDelaysATakeOverAndNothingElse",
		"lease TestSimulation",
	}},
	{id: "X3", what: "an acquisition of unknown outcome promotes nobody", held: []string{
		"lease TestALostReplyOfAnAcquisitionIsAdoptedByAConfirmedRenewal",
		"leasetest ACallWhoseContextIsOverPromotesNobody",
		"integration TestWithoutAMajorityTheOutcomeIsUnknown",
	}},
	{id: "X4", what: "primaries that step down make no two leaders, and terms grow", held: []string{
		"integration TestLeaderOutlivesTheChurnOfPrimaries",
		"integration TestB054FailoversOfTheServersLoseNothing",
	}},
	{id: "X5", what: "a leader that was paused changes nothing afterwards", held: []string{
		"integration TestLeaderThatWasPausedDoesNoHarm",
		"lease TestASuspendedMachineNoticesWithinASecond",
		"lease TestATermThatEndedHereIsNeverLedAgain",
		"supervisor TestLostLeaseEndsHandlersAndWritesNothing",
	}},
	{id: "X6", what: "a position never moves back", held: []string{
		"storetest ADelayedSaveOfOnesOwnCannotMoveThePositionBack",
		"storetest AStaleTermCannotSave",
		"integration TestLeaderThatWasPausedDoesNoHarm",
	}},
	{id: "X7", what: "a stop is taken over in well under a second, or within a poll", held: []string{
		"lease TestB097AReleaseIsTakenOverAtOnce",
		"lease TestB097WithoutAWatchAReleaseIsTakenOverWithinAPoll",
		"integration TestStandbyHandlesTheNextEventAfterAStopWithinASecond",
	}},
	{id: "X8", what: "a crash is taken over within a ttl and a second", held: []string{
		"lease TestB097ACrashIsTakenOverWithinTTLPlusOneSecond",
		"lease TestB097ACrashAtAnyTimeIsTakenOver",
		"integration TestStandbyHandlesTheNextEventAfterAKillWithinATTLAndASecond",
	}},
	{id: "X9", what: "a held stream runs nowhere, also after restarts; then in one place",
		held: []string{
			"fw TestB143AHeldStreamRunsNowhereAlsoAfterRestarts",
			"integration TestLeaderIsNobodyWhileTheStreamIsHeld",
		}},
	{id: "X10", what: "an idle stream outlives the oplog, and a changed pipeline is noticed",
		held: []string{
			"integration TestB120IdleStreamStoresHowFarItHasRead",
			"integration TestB011ChangedPipelineResumesByTime",
		}},
	{id: "X11", what: "idle standbys write nothing, and renewals go out in one round", held: []string{
		"lease TestIdleStandbysWriteNothing",
		"lease TestAStandbyWithoutNewsAsksEveryPollAndWritesNothing",
		"lease TestRenewalsOfAllLeasesGoOutTogether",
		"integration TestStandbysThatAreIdleWriteNothing",
	}},
	{id: "X12", what: "instructions that are too old or badly signed are refused",
		none: "there are no instructions between processes; an operator calls App or sets a hold"},
}

// metScenarios are failures of leases that people met elsewhere; the tests bear their numbers.
var metScenarios = []scenario{
	{id: "B081", what: "the leader lost its lease and was never told", held: []string{
		"lease TestB081ALeaderWhoseRenewalsFailIsToldBeforeAnybodyElseLeads",
		"lease TestB081ALeaderThatIsToldOfAnotherOwnerStopsAtOnce",
		"integration TestLeaderThatIsCutOffStopsBeforeItsSuccessorBegins",
	}},
	{id: "B082", what: "a failed renewal is no lost lease", held: []string{
		"lease TestB082AFailedRenewalIsNotALostLease",
		"integration TestB082FailedRenewals",
	}},
	{id: "B084", what: "work went on when the lease had ended", held: []string{
		"lease TestB084WorkOfAnEarlierTermKeepsTheElectorFromTheLease",
		"supervisor TestLostLeaseEndsHandlersAndWritesNothing",
	}},
	{id: "B085", what: "an expired owner released the lease of the next", held: []string{
		"lease TestB085AnExpiredOwnerReleasesNothingOfTheNext",
		"leasetest AStaleOwnerReleasesNothing",
	}},
	{id: "B088", what: "clocks ten minutes apart", held: []string{
		"lease TestB088ClocksTenMinutesApartChangeNothing",
		"integration TestLeaderWhoseClockIsStepped",
	}},
	{id: "B090", what: "the first of many acquisitions failed with a duplicate key", held: []string{
		"leasetest TheFirstAcquireHasOneWinnerAndNoError",
		"integration TestB090ADuplicateKeyIsTriedAgain",
	}},
	{id: "B092", what: "a lease that was not on a majority was rolled back", held: []string{
		"integration TestB092EveryWriteOfStateIsOnAMajority",
	}},
	{id: "B093", what: "the lease was released before the handlers had finished", held: []string{
		"lease TestB093TheLeaseIsRenewedUntilTheDrainIsOverAndThenReleased",
		"supervisor TestB093RunningHandlerIsDrainedBeforeTheLeaseIsReleased",
		"integration TestB093SuccessorBeginsAfterTheHandlerReturned",
	}},
	{id: "B095", what: "leadership went back and forth", held: []string{
		"lease TestB095LeadershipDoesNotFlapUnderASlowStore",
		"lease TestAHandOverForAPriorityMakesProgress",
		"fw TestEveryBadValueIsNamed",
	}},
	{id: "B096", what: "a leader that was paused wrote a position or a dead letter", held: []string{
		"supervisor TestB096ALeaderThatWasPausedChangesNothing",
		"integration TestLeaderThatWasPausedDoesNoHarm",
	}},
	{id: "B097", what: "a take-over waited for the whole lease though nobody led", held: []string{
		"lease TestB097AReleaseIsTakenOverAtOnce",
		"lease TestB097ACrashIsTakenOverWithinTTLPlusOneSecond",
		"integration TestStandbyHandlesTheNextEventAfterAStopWithinASecond",
	}},
}
