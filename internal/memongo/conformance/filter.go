package conformance

// filterChecks are the checks of query filters.
func filterChecks() []check {
	return scripts([]script{
		{"filter/eq matches a number of every type", []step{
			{command: `{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 1.0}]}`, want: `{n: 2}`},
			{command: `{find: 'c', filter: {a: long(1)}}`,
				want: `{cursor: {id: long(0), firstBatch: [{_id: 1, a: 1}, {_id: 2, a: 1.0}]}}`},
		}},
		{"filter/unknown operator", []step{
			{command: `{find: 'c', filter: {a: {$nope: 1}}}`,
				want: `{ok: 0.0, code: 2, codeName: 'BadValue', errmsg: 'unknown operator: $nope'}`},
		}},
	})
}
