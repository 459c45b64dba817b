package conformance

// A stage of an aggregate is optimized before it runs, which is to be seen: constants are
// evaluated, and put last where the order of operands has no meaning. An update's is not.
var expressionOptimized = []script{
	{"optimizer/max of a constant and an equal field", `[{_id: 1, a: 1.0}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$max: [1, '$a']}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{x: 1.0}]}}`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$max: [1, '$a']}}}]}]}`,
			`{n: 1, nModified: 1}`},
		{`{find: 'c', projection: {_id: 0, x: 1}}`, `{cursor: {firstBatch: [{x: 1}]}}`},
	}},
	{"optimizer/add a constant that is no number to null", `[{_id: 1}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$add: ['x', '$a']}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{x: null}]}}`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$add: ['x', '$a']}}}]}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 16554}], nModified: 0}`},
		{`{find: 'c', projection: {_id: 0, x: 1}}`, `{cursor: {firstBatch: [{}]}}`},
	}},
	{"optimizer/add null to a field that is no number", `[{_id: 1, a: 'x'}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$add: [null, '$a']}}}], cursor: {}}`,
			`!16554 Location16554`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$add: [null, '$a']}}}]}]}`,
			`{n: 1, nModified: 1}`},
		{`{find: 'c', projection: {_id: 0, x: 1}}`, `{cursor: {firstBatch: [{x: null}]}}`},
	}},
	{"optimizer/multiply a constant that is no number by null", `[{_id: 1}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$multiply: ['x', '$a']}}}],
			cursor: {}}`, `{cursor: {firstBatch: [{x: null}]}}`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$multiply: ['x', '$a']}}}]}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 14}], nModified: 0}`},
		{`{find: 'c', projection: {_id: 0, x: 1}}`, `{cursor: {firstBatch: [{}]}}`},
	}},
	{"optimizer/indexOfArray of a constant that is no array", `[{_id: 1, a: 1}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$indexOfArray: [5, '$a']}}}],
			cursor: {}}`, `!50809 Location50809`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$indexOfArray: [5, '$a']}}}]}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 40090}], nModified: 0}`},
		{`{find: 'c', projection: {_id: 0, x: 1}}`, `{cursor: {firstBatch: [{}]}}`},
	}},
	{"optimizer/setEquals of constants that are no arrays", `[{_id: 1}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$setEquals: [1, [1]]}}}],
			cursor: {}}`, `!5887502 Location5887502`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$setEquals: [1, [1]]}}}]}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 17044}], nModified: 0}`},
		{`{find: 'c', projection: {_id: 0, x: 1}}`, `{cursor: {firstBatch: [{}]}}`},
	}},
	{"optimizer/setIsSubset in a constant that is no array", `[{_id: 1, a: [1]}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$setIsSubset: ['$a', 1]}}}],
			cursor: {}}`, `!17311 Location17311`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$setIsSubset: ['$a', 1]}}}]}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 17042}], nModified: 0}`},
		{`{find: 'c', projection: {_id: 0, x: 1}}`, `{cursor: {firstBatch: [{}]}}`},
	}},
	{"optimizer/setIsSubset of no array in a constant", `[{_id: 1, a: 1}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$setIsSubset: ['$a', [1]]}}}],
			cursor: {}}`, `!17310 Location17310`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$setIsSubset: ['$a', [1]]}}}]}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 17046}], nModified: 0}`},
		{`{find: 'c', projection: {_id: 0, x: 1}}`, `{cursor: {firstBatch: [{}]}}`},
	}},
	{"optimizer/a constant that fails where it is not needed", `[{_id: 1, a: true}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$cond: ['$a', 1, {$toLong: 'x'}]}}}],
			cursor: {}}`, `!241 ConversionFailure`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$cond: ['$a', 1, {$toLong: 'x'}]}}}]}]}`,
			`{n: 1, nModified: 1}`},
		{`{find: 'c', filter: {$expr: {$cond: ['$a', 1, {$toLong: 'x'}]}}}`,
			`!241 ConversionFailure`},
	}},
	{"optimizer/a constant that fails in a branch that is known", `[{_id: 1, a: true}]`, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$cond: [true, 1, {$toLong: 'x'}]}}}],
			cursor: {}}`, `!241 ConversionFailure`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$cond: [true, 1, {$toLong: 'x'}]}}}]}]}`,
			`{n: 1, nModified: 1}`},
	}},
	{"optimizer/a constant that fails on no documents", ``, []step{
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, x: {$toLong: 'x'}}}], cursor: {}}`,
			`!241 ConversionFailure`},
		{`{find: 'c', filter: {$expr: {$toLong: 'x'}}}`, `!241 ConversionFailure`},
		{`{update: 'c', updates: [{q: {}, u: [{$set: {x: {$toLong: 'x'}}}]}]}`,
			`{n: 0, nModified: 0}`},
	}},
}
