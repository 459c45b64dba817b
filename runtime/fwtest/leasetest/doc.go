// Package leasetest checks that an implementation of [store.Leases] keeps the rules that package
// store declares. Implementers call [Run] in a test of theirs:
//
//	func TestLeases(t *testing.T) {
//		leasetest.Run(t, leasetest.Options{
//			New: func(t testing.TB) leasetest.Store {
//				return leasetest.Store{Leases: mystore.New(connect(t))}
//			},
//		})
//	}
//
// Each rule is a subtest of its own, named after it, on a store of its own.
//
// # What is asked
//
// Every method of [store.Leases], and of the whole that one process sees what another one did: the
// suite plays all owners through one value. What the interface can't do comes as functions of
// [Store]. They are optional: a rule that needs one that is nil is skipped, and says so. A store
// that can't tell of changes is checked with [Options.NoWatch].
//
// # Time
//
// Only the clock of the store counts, and the suite never compares it with the one of the test:
// instants are computed from what [store.Leases.Look] tells, and an expiry is awaited by looking
// until the store says that it has come. How long that takes is up to the store:
//
//   - one whose clock can be set passes [Store.Advance];
//   - one that does no input or output, and takes its time from package time, sets
//     [Options.Bubble], and every rule runs in virtual time;
//   - any other is waited for. The leases that are to expire last for 300 ms.
//
// A call, and what must come true, has 20 s.
//
// # Rules
//
// The lease of an election has rules that are the same wherever one is built, and known by numbers.
// These are the subtests that check them here:
//
//	L1   a first request leads, under the first term   AFreeLeaseIsGrantedWithItsFirstTerm
//	L2   a renewal keeps owner and term                ARenewalExtendsTheLease
//	L3   a second owner stands by and disturbs nothing ALiveLeaseIsLeftAlone
//	L4   after expiry another leads, one term up       AnExpiredLeaseGoesToAnother
//	L5   after a release another leads at once         AReleasedLeaseIsFreeAtOnce
//	L6   a release by a non-owner changes nothing      AStaleOwnerReleasesNothing,
//	                                                   AMissingLeaseIsNotReleased
//	L7   a higher priority asks the holder to step     AHigherPriorityIsAnnouncedToTheOwner
//	     down, who stays the owner
//	L8   an equal or lower priority never does         AnEqualOrLowerPriorityIsNotAnnounced
//	L9   the request lapses with the asker             AnAnnouncementLapsesUnlessItIsRepeated
//	L10  step-down, release, the preferred leads       AHandOverGoesToThePreferredOwner
//	L11  terms grow from owner to owner and back       TermsGrowFromOwnerToOwnerAndBack
//	L12  leases of different names are independent     LeasesOfDifferentStreamsAreIndependent
//	L13  of many at once one leads                     TheFirstAcquireHasOneWinnerAndNoError
//	L14  a store that is gone fails every call         AStoreThatIsGoneFailsEveryCall
//	L15  the same owner gets a higher term             TheSameOwnerGetsANewTermAfterExpiry,
//	                                                   TheSameOwnerGetsANewTermAfterRelease
//	L16  senseless requests are refused                by package fw, before a store is asked
//
// In L6 a release that changed nothing returns [store.ErrNotOwner] here, where elsewhere it says
// nothing.
package leasetest
