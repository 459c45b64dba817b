package conformance

import "slices"

// modifyChecks are the checks of findAndModify.
func modifyChecks() []check {
	return slices.Concat(scripts(modifyOne), scripts(modifyPipelines), scripts(modifyErrors))
}

var modifyOne = []script{
	{"findAndModify/answers with what was there", `[{_id: 1, a: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$inc: {a: 1}}}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, a: 1}}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, a: 2}]}}`},
	}},
	{"findAndModify/new", `[{_id: 1, a: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$inc: {a: 1}}, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, a: 2}}`},
	}},
	{"findAndModify/by its other name", `[{_id: 1, a: 1}]`, []step{
		{`{findandmodify: 'c', query: {_id: 1}, update: {$inc: {a: 1}}, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, a: 2}}`},
	}},
	{"findAndModify/nothing matches", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 2}, update: {$set: {a: 1}}}`,
			`{lastErrorObject: {n: 0, updatedExisting: false}, value: null}`},
	}},
	{"findAndModify/in a collection that is not there", ``, []step{
		{`{findAndModify: 'c', query: {_id: 2}, update: {$set: {a: 1}}}`,
			`{lastErrorObject: {n: 0, updatedExisting: false}, value: null}`},
	}},
	{"findAndModify/no change", `[{_id: 1, a: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 1}}, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, a: 1}}`},
	}},
	{"findAndModify/upsert", ``, []step{
		{`{findAndModify: 'c', query: {_id: 2}, update: {$set: {a: 1}}, upsert: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: false, upserted: 2}, value: null}`},
		{`{findAndModify: 'c', query: {_id: 3}, update: {$set: {a: 1}}, upsert: true, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: false, upserted: 3}, value: {_id: 3,
			a: 1}}`},
		{`{findAndModify: 'c', query: {_id: 3}, update: {$set: {a: 2}}, upsert: true, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 3, a: 2}}`},
	}},
	{"findAndModify/remove", `[{_id: 1, a: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, remove: true}`,
			`{lastErrorObject: {n: 1}, value: {_id: 1, a: 1}}`},
		{`{findAndModify: 'c', query: {_id: 1}, remove: true}`,
			`{lastErrorObject: {n: 0}, value: null}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: []}}`},
	}},
	{"findAndModify/sort", `[{_id: 1, a: 1}, {_id: 2, a: 3}, {_id: 3, a: 2}]`, []step{
		{`{findAndModify: 'c', query: {}, sort: {a: -1}, update: {$set: {b: 1}}, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 2, a: 3, b: 1}}`},
		{`{findAndModify: 'c', query: {}, sort: {a: 1}, remove: true}`,
			`{lastErrorObject: {n: 1}, value: {_id: 1, a: 1}}`},
	}},
	{"findAndModify/fields", `[{_id: 1, a: 1, b: 2}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 5}}, fields: {a: 1, _id: 0}}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {a: 1}}`},
		{`{findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 6}}, new: true, fields: {_id: 0,
			document: '$$ROOT'}}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {document: {_id: 1, a: 6,
			b: 2}}}`},
		{`{findAndModify: 'c', query: {_id: 1}, remove: true, fields: {b: 0}}`,
			`{lastErrorObject: {n: 1}, value: {_id: 1, a: 6}}`},
	}},
	{"findAndModify/replacement", `[{_id: 1, a: 1, b: 2}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {c: 3}, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, c: 3}}`},
	}},
	{"findAndModify/position of what matched", `[{_id: 1, a: [1, 5]}]`, []step{
		{`{findAndModify: 'c', query: {a: 5}, update: {$set: {a.$: 7}}, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, a: [1, 7]}}`},
	}},
	{"findAndModify/array filters", `[{_id: 1, a: [1, 5]}]`, []step{
		{`{findAndModify: 'c', query: {}, update: {$set: {'a.$[x]': 7}}, arrayFilters: [{x: 1}],
			new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, a: [7, 5]}}`},
	}},
	{"findAndModify/without a query", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', update: {$set: {a: 1}}, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, a: 1}}`},
	}},
	{"findAndModify/variables of the command", `[{_id: 1, a: 2}]`, []step{
		{`{findAndModify: 'c', query: {$expr: {$eq: ['$a', '$$x']}}, update: [{$set: {b: '$$x'}}],
			let: {x: 2}, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, a: 2, b: 2}}`},
	}},
}

var modifyPipelines = []script{
	{"findAndModify/upsert by a pipeline", ``, []step{
		{`{findAndModify: 'c', query: {_id: 'x'}, update: [{$set: {n: {$add: [{$ifNull: ['$n', 0]},
			1]}}}], upsert: true, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: false, upserted: 'x'}, value: {_id: 'x',
			n: 1}}`},
		{`{findAndModify: 'c', query: {_id: 'x'}, update: [{$set: {n: {$add: [{$ifNull: ['$n', 0]},
			1]}}}], upsert: true, new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 'x', n: 2}}`},
		{`{findAndModify: 'c', query: {_id: 'x'}, update: [{$set: {n: '$n'}}], upsert: true,
			new: false}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 'x', n: 2}}`},
	}},
	{"findAndModify/a condition in the pipeline changes nothing", `[{_id: 1, owner: 'a'}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: [{$set: {mine: {$eq: ['$owner', 'b']}}},
			{$set: {owner: {$cond: ['$mine', 'b', '$owner']}, term: {$cond: ['$mine', 1,
			'$term']}}}, {$unset: 'mine'}], new: true}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, owner: 'a'}}`},
	}},
	{"findAndModify/a pipeline changes _id", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: [{$set: {_id: 2}}]}`, `!66 ImmutableField`},
	}},
	{"findAndModify/a pipeline that fails", `[{_id: 1, a: 'x'}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: [{$set: {b: {$add: ['$a', 1]}}}]}`,
			`!16554 Location16554`},
	}},
	{"findAndModify/the time is constant", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: [{$set: {x: '$$NOW'}},
			{$set: {y: {$add: ['$$NOW', 5]}}}], new: true, fields: {_id: 0,
			same: {$eq: [{$subtract: ['$y', '$x']}, 5]}, known: {$eq: ['$x', '$$NOW']}}}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {same: true, known: true}}`},
	}},
}

var modifyErrors = []script{
	{"findAndModify/remove and update", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {}, remove: true, update: {$set: {a: 1}}}`,
			`!9 FailedToParse`},
	}},
	{"findAndModify/neither remove nor update", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {}}`, `!9 FailedToParse`},
	}},
	{"findAndModify/remove and upsert", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {}, remove: true, upsert: true}`, `!9 FailedToParse`},
	}},
	{"findAndModify/remove and new", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {}, remove: true, new: true}`, `!9 FailedToParse`},
	}},
	{"findAndModify/expr with upsert", ``, []step{
		{`{findAndModify: 'c', query: {_id: 1, $expr: {$eq: [1, 1]}}, update: {$set: {a: 1}},
			upsert: true}`, `!224 QueryFeatureNotAllowed`},
	}},
	{"findAndModify/duplicate key", `[{_id: 1, a: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1, a: 2}, update: {$set: {b: 1}}, upsert: true}`,
			`!11000 DuplicateKey`},
	}},
	{"findAndModify/immutable _id", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$set: {_id: 2}}}`, `!66 ImmutableField`},
	}},
	{"findAndModify/unknown operator", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$nope: {_id: 2}}}`, `!9 FailedToParse`},
	}},
	{"findAndModify/unknown field", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 2}}, nope: 1}`,
			`!40415 Location40415`},
	}},
	{"findAndModify/a write concern that can't be is applied all the same", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 2}}, writeConcern: {w: 'nope'}}`,
			`{value: {_id: 1}, writeConcernError: {code: 79,
			codeName: 'UnknownReplWriteConcern'}}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, a: 2}]}}`},
	}},
}
