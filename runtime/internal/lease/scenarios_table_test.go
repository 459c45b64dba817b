package lease_test

var leaseScenarios = []scenario{
	{id: "L1", what: "the first request leads, under the first term", held: []string{
		"leasetest AFreeLeaseIsGrantedWithItsFirstTerm",
		"lease TestALeaseIsAcquiredAtOnceWhereNobodyHasIt",
	}},
	{id: "L2", what: "a renewal keeps owner and term", held: []string{
		"leasetest ARenewalExtendsTheLease",
	}},
	{id: "L3", what: "a second owner stands by and is told who leads", held: []string{
		"leasetest ALiveLeaseIsLeftAlone",
		"lease TestAStandbyIsToldWhoLeads",
	}},
	{id: "L4", what: "after expiry by the store's clock another leads, one term up", held: []string{
		"leasetest AnExpiredLeaseGoesToAnother",
		"memstore TestTheServersClockDecides",
	}},
	{id: "L5", what: "after a release another leads at once", held: []string{
		"leasetest AReleasedLeaseIsFreeAtOnce",
		"lease TestB097AReleaseIsTakenOverAtOnce",
	}},
	{id: "L6", what: "a release by somebody else changes nothing", held: []string{
		"leasetest AStaleOwnerReleasesNothing",
		"leasetest AMissingLeaseIsNotReleased",
		"lease TestB085AnExpiredOwnerReleasesNothingOfTheNext",
	}},
	{id: "L7", what: "a higher priority asks the holder to step down, who stays the owner",
		held: []string{
			"leasetest AHigherPriorityIsAnnouncedToTheOwner",
			"lease TestALeaderStepsDownForAHigherPriority",
		}},
	{id: "L8", what: "an equal or lower priority never does", held: []string{
		"leasetest AnEqualOrLowerPriorityIsNotAnnounced",
		"lease TestAnEqualOrLowerPriorityUnseatsNobody",
	}},
	{id: "L9", what: "the request lapses with the contender", held: []string{
		"leasetest AnAnnouncementLapsesUnlessItIsRepeated",
		"lease TestALeaderGoesOnOnceItsContenderIsGone",
	}},
	{id: "L10", what: "a hand-over goes to the preferred one, and the old holder stands by",
		held: []string{
			"leasetest AHandOverGoesToThePreferredOwner",
			"lease TestAHandOverForAPriorityMakesProgress",
			"lease TestAReleasedLeaseIsLeftToItsContender",
		}},
	{id: "L11", what: "terms grow from owner to owner and back", held: []string{
		"leasetest TermsGrowFromOwnerToOwnerAndBack",
	}},
	{id: "L12", what: "leases of different names are independent", held: []string{
		"leasetest LeasesOfDifferentStreamsAreIndependent",
		"lease TestOtherStreamsAreNoNews",
	}},
	{id: "L13", what: "of many at once one leads", held: []string{
		"leasetest TheFirstAcquireHasOneWinnerAndNoError",
		"leasetest ATermHasOneOwner",
		"memstore TestOneOfManyAcquires",
	}},
	{id: "L14", what: "a store that is gone fails every call", held: []string{
		"leasetest AStoreThatIsGoneFailsEveryCall",
	}},
	{id: "L15", what: "the same owner gets a new term after expiry or release", held: []string{
		"leasetest TheSameOwnerGetsANewTermAfterExpiry",
		"leasetest TheSameOwnerGetsANewTermAfterRelease",
		"lease TestAfterTrustEndedANewTermIsAcquired",
	}},
	{id: "L16", what: "names and times that make no sense are refused", held: []string{
		"fw TestEveryBadValueIsNamed",
		"fw TestConfigThatCannotWorkIsRefused",
	}},
}

var electionScenarios = []scenario{
	{id: "E1", what: "of two instances the first handles everything, the other nothing",
		held: []string{
			"supervisor TestStandbyTakesOverWhereTheLeaderStopped",
			"fw TestAppsOfOneInstanceNameNeverShareALease",
		}},
	{id: "E2", what: "when the leader stops, the standby handles what follows, each once",
		held: []string{
			"supervisor TestStandbyTakesOverWhereTheLeaderStopped",
			"integration TestStoppedLeaderHandsOverAtOnce",
		}},
	{id: "E3", what: "a later instance of a higher priority gets leadership back", held: []string{
		"fw TestAHigherPriorityTakesAStreamAndLosesNothing",
	}},
	{id: "E4", what: "a leader whose stream stops hands it over", held: []string{
		"supervisor TestAStreamThatIsStoppedByHandIsTakenOver",
		"integration TestStreamStartedAndStoppedByHandIsHandedOver",
	}},
	{id: "E5", what: "so does one whose stream fails for good", held: []string{
		"supervisor TestAStreamThatFailsHereForGoodIsTakenOver",
	}},
	{id: "E6", what: "a leader that keeps failing yields; a sole instance leads again", held: []string{
		"supervisor TestALeaderWhoseReaderKeepsFailingHandsTheStreamOver",
		"supervisor TestALeaderYieldsOnlyForAnotherThatIsLive",
		"lease TestALeaderThatHandsOverToNobodyLeadsAgainAfterOneTTL",
	}},
	{id: "E7", what: "over three leaderships each event is handled once", held: []string{
		"supervisor TestEveryEventIsHandledOnceOverThreeLeaderships",
	}},
	{id: "E8", what: "a leader whose calls never return stops anyway", held: []string{
		"lease TestAHungRenewalKeepsNobodyFromTheEndOfTrust",
		"integration TestLeaderThatIsCutOffStopsBeforeItsSuccessorBegins",
	}},
	{id: "E9", what: "a call that hangs delays no end of trust in other leases", held: []string{
		"lease TestARenewalThatHangsDelaysNoEndOfTrustOfOthers",
		"lease TestOneSlowRenewalDelaysNoOther",
	}},
	{id: "E10", what: "a storage without leases runs everything everywhere",
		none: "store.Leases is required; without a server it is the one in memory"},
	{id: "E11", what: "a sole instance leads before anything runs", held: []string{
		"lease TestALeaseIsAcquiredAtOnceWhereNobodyHasIt",
		"supervisor TestTakeOverThatFailsIsShownAndTriedAgain",
	}},
	{id: "E12", what: "no two of one process share an owner", held: []string{
		"fw TestAppsOfOneInstanceNameNeverShareALease",
	}},
}

var fencingScenarios = []scenario{
	{id: "F1", what: "positions carry their term, and one term writes again and again", held: []string{
		"storetest ASaveStoresEverything",
		"storetest ASaveCanBeRepeated",
	}},
	{id: "F2", what: "what a superseded leader writes is refused as a whole", held: []string{
		"storetest AStaleTermCannotSave",
		"storetest AStaleTermStoresNoDeadLetter",
		"supervisor TestB096ALeaderThatWasPausedChangesNothing",
	}},
	{id: "F3", what: "from the take-over on, before the new leader wrote anything", held: []string{
		"storetest NoStaleSaveAfterARaise",
		"storetest NoStaleDeadLetterAfterARaise",
		"supervisor TestFencedLeaderStepsBack",
	}},
	{id: "F4", what: "who was fenced writes again under a greater term", held: []string{
		"supervisor TestFencedLeaderStepsBack",
		"storetest AHigherTermSavesWithASmallerSeq",
	}},
	{id: "F5", what: "term 0 writes unfenced", none: "every write carries a term above 0"},
	{id: "F6", what: "positions from before there were terms are taken over",
		none: "no release stored positions without a term"},
	{id: "F7", what: "the first leadership stores 1, the next 2", held: []string{
		"supervisor TestStandbyTakesOverWhereTheLeaderStopped",
		"supervisor TestEveryEventIsHandledOnceOverThreeLeaderships",
	}},
}
