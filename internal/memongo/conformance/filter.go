package conformance

// filterChecks are the checks of query filters.
func filterChecks() []check {
	return queries(filterComparison)
}

var filterComparison = []query{
	{"filter/eq matches a number of every type",
		`[{_id: 1, a: 1}, {_id: 2, a: 1.0}, {_id: 3, a: long(1)}, {_id: 4, a: dec(1.00)}, {_id: 5, a: '1'}]`,
		`{a: long(1)}`, `[1, 2, 3, 4]`},
}
