package conformance

import "slices"

// checks are all of the suite.
func checks() []check {
	return slices.Concat(
		filterChecks(),
		updateChecks(),
		expressionChecks(),
		findChecks(),
		modifyChecks(),
		writeChecks(),
		aggregateChecks(),
		pipelineChecks(),
		indexChecks(),
		collectionChecks(),
		argumentChecks(),
		driverChecks(),
		recordedChecks(),
		helloChecks(),
		wireChecks(),
		retryChecks(),
		snapshotChecks(),
		refusalChecks(),
		ownChecks(),
	)
}
