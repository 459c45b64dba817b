package conformance

import "slices"

// aggregateChecks are the checks of pipelines over collections.
func aggregateChecks() []check {
	return slices.Concat(
		scripts(aggregateStages), scripts(aggregateGroups), scripts(aggregateErrors),
	)
}

const orders = `[{_id: 1, who: 'ann', n: 2, at: {x: 1}, tags: ['a', 'b']},
	{_id: 2, who: 'bob', n: 5, tags: []},
	{_id: 3, who: 'ann', n: long(3), tags: 'c'}, {_id: 4, who: null, n: 1.5}]`

var aggregateStages = []script{
	{"aggregate/match", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {n: {$gt: 2}}}, {$project: {_id: 1}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 2}, {_id: 3}]}}`},
	}},
	{"aggregate/match expr", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {$expr: {$eq: ['$who', 'bob']}}},
			{$project: {_id: 1}}], cursor: {}}`, `{cursor: {firstBatch: [{_id: 2}]}}`},
	}},
	{"aggregate/project", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {_id: 1}}, {$project: {_id: 0, who: 1,
			twice: {$multiply: ['$n', 2]}, at.x: 1, one: {$literal: 1}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{who: 'ann', at: {x: 1}, twice: 4, one: 1}]}}`},
	}},
	{"aggregate/project excluding", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {_id: 1}}, {$project: {tags: 0, at.x: 0}}],
			cursor: {}}`, `{cursor: {firstBatch: [{_id: 1, who: 'ann', n: 2, at: {}}]}}`},
	}},
	{"aggregate/project with remove", orders, []step{
		{`{aggregate: 'c', pipeline: [{$project: {who: {$cond: [{$gt: ['$n', 2]}, '$who',
			'$$REMOVE']}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1}, {_id: 2, who: 'bob'}, {_id: 3, who: 'ann'},
			{_id: 4}]}}`},
	}},
	{"aggregate/project an array of fields", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {_id: 1}}, {$project: {pair: ['$who', '$nope']}}],
			cursor: {}}`, `{cursor: {firstBatch: [{_id: 1, pair: ['ann', null]}]}}`},
	}},
	{"aggregate/set", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {_id: 1}}, {$set: {n: 9, at.y: 2, z: '$who'}}],
			cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, who: 'ann', n: 9, at: {x: 1, y: 2}, tags: ['a', 'b'],
			z: 'ann'}]}}`},
	}},
	{"aggregate/set below an array", `[{_id: 1, a: [{b: 1}, 5]}]`, []step{
		{`{aggregate: 'c', pipeline: [{$set: {a.c: 7}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, a: [{b: 1, c: 7}, {c: 7}]}]}}`},
	}},
	{"aggregate/set below a scalar", `[{_id: 1, a: 5}]`, []step{
		{`{aggregate: 'c', pipeline: [{$set: {a.c: 7}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, a: {c: 7}}]}}`},
	}},
	{"aggregate/addFields is set", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {_id: 2}}, {$addFields: {m: {$add: ['$n', 1]}}}],
			cursor: {}}`, `{cursor: {firstBatch: [{_id: 2, who: 'bob', n: 5, tags: [], m: 6}]}}`},
	}},
	{"aggregate/set sees the document before", `[{_id: 1, a: 1, b: 2}]`, []step{
		{`{aggregate: 'c', pipeline: [{$set: {a: '$b', b: '$a'}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, a: 2, b: 1}]}}`},
	}},
	{"aggregate/set merges documents", `[{_id: 1, a: {x: 1}}]`, []step{
		{`{aggregate: 'c', pipeline: [{$set: {a: {y: 2}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, a: {x: 1, y: 2}}]}}`},
	}},
	{"aggregate/unset", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {_id: 1}}, {$unset: ['tags', 'at.x']}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, who: 'ann', n: 2, at: {}}]}}`},
		{`{aggregate: 'c', pipeline: [{$match: {_id: 2}}, {$unset: 'tags'}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 2, who: 'bob', n: 5}]}}`},
	}},
	{"aggregate/sort, skip and limit", orders, []step{
		{`{aggregate: 'c', pipeline: [{$sort: {n: -1}}, {$skip: 1}, {$limit: 2},
			{$project: {_id: 1}}], cursor: {}}`, `{cursor: {firstBatch: [{_id: 3}, {_id: 1}]}}`},
	}},
	{"aggregate/count", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {who: 'ann'}}, {$count: 'n'}], cursor: {}}`,
			`{cursor: {firstBatch: [{n: 2}]}}`},
		{`{aggregate: 'c', pipeline: [{$match: {who: 'nobody'}}, {$count: 'n'}], cursor: {}}`,
			`{cursor: {firstBatch: []}}`},
	}},
	{"aggregate/unwind", orders, []step{
		{`{aggregate: 'c', pipeline: [{$unwind: '$tags'}, {$project: {tags: 1}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, tags: 'a'}, {_id: 1, tags: 'b'}, {_id: 3,
			tags: 'c'}]}}`},
	}},
	{"aggregate/unwind and preserve", orders, []step{
		{`{aggregate: 'c', pipeline: [{$unwind: {path: '$tags', preserveNullAndEmptyArrays: true,
			includeArrayIndex: 'i'}}, {$project: {tags: 1, i: 1}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, tags: 'a', i: long(0)}, {_id: 1, tags: 'b',
			i: long(1)}, {_id: 2, i: null}, {_id: 3, tags: 'c', i: null}, {_id: 4, i: null}]}}`},
	}},
	{"aggregate/replaceRoot", `[{_id: 1, a: {b: 1}}]`, []step{
		{`{aggregate: 'c', pipeline: [{$replaceRoot: {newRoot: '$a'}}], cursor: {}}`,
			`{cursor: {firstBatch: [{b: 1}]}}`},
	}},
	{"aggregate/replaceWith", `[{_id: 1, a: {b: 1}}]`, []step{
		{`{aggregate: 'c', pipeline: [{$replaceWith: {$mergeObjects: ['$a', {c: 2}]}}],
			cursor: {}}`, `{cursor: {firstBatch: [{b: 1, c: 2}]}}`},
	}},
	{"aggregate/replaceRoot by no document", `[{_id: 1, a: 5}]`, []step{
		{`{aggregate: 'c', pipeline: [{$replaceRoot: {newRoot: '$a'}}], cursor: {}}`,
			`!40228 Location40228`},
	}},
	{"aggregate/lookup", `[{_id: 1, d: 7}, {_id: 2, d: [8, 9]}, {_id: 3}]`, []step{
		{`{insert: 'd', documents: [{_id: 7, x: 'seven'}, {_id: 8, x: 'eight'}, {_id: null,
			x: 'none'}]}`, `{n: 3}`},
		{`{aggregate: 'c', pipeline: [{$sort: {_id: 1}}, {$lookup: {from: 'd', localField: 'd',
			foreignField: '_id', as: 'found'}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, d: 7, found: [{_id: 7, x: 'seven'}]}, {_id: 2, d: [8,
			9], found: [{_id: 8, x: 'eight'}]}, {_id: 3, found: [{_id: null, x: 'none'}]}]}}`},
		{`{aggregate: 'c', pipeline: [{$match: {_id: 1}}, {$lookup: {from: 'nope', localField: 'd',
			foreignField: '_id', as: 'found'}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, d: 7, found: []}]}}`},
	}},
	{"aggregate/sortByCount", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {who: {$ne: null}}}, {$sortByCount: '$who'}],
			cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 'ann', count: 2}, {_id: 'bob', count: 1}]}}`},
	}},
	{"aggregate/an empty pipeline", orders, []step{
		{`{aggregate: 'c', pipeline: [], cursor: {batchSize: 0}}`, `{cursor: {firstBatch: []}}`},
	}},
	{"aggregate/a collection that is not there", ``, []step{
		{`{aggregate: 'c', pipeline: [{$match: {a: 1}}], cursor: {}}`,
			`{cursor: {firstBatch: []}}`},
	}},
	{"aggregate/variables of the command", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {$expr: {$eq: ['$_id', '$$x']}}},
			{$project: {x: '$$x'}}], cursor: {}, let: {x: 2}}`,
			`{cursor: {firstBatch: [{_id: 2, x: 2}]}}`},
	}},
	{"aggregate/sample of all", orders, []step{
		{`{aggregate: 'c', pipeline: [{$sample: {size: 9}}, {$count: 'n'}], cursor: {}}`,
			`{cursor: {firstBatch: [{n: 4}]}}`},
	}},
	{"aggregate/facet", orders, []step{
		{`{aggregate: 'c', pipeline: [{$facet: {all: [{$count: 'n'}], ann: [{$match: {who: 'ann'}},
			{$project: {_id: 1}}]}}], cursor: {}}`,
			`{cursor: {firstBatch: [{all: [{n: 4}], ann: [{_id: 1}, {_id: 3}]}]}}`},
	}},
}

var aggregateGroups = []script{
	{"group/sum and count", orders, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: '$who', n: {$sum: '$n'}, count: {$sum: 1}}},
			{$sort: {_id: 1}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: null, n: 1.5, count: 1}, {_id: 'ann', n: long(5),
			count: 2}, {_id: 'bob', n: 5, count: 1}]}}`},
	}},
	{"group/all in one", orders, []step{
		{`{aggregate: 'c', pipeline: [{$sort: {_id: 1}}, {$group: {_id: null, avg: {$avg: '$n'},
			min: {$min: '$n'}, max: {$max: '$who'}, first: {$first: '$who'}, last: {$last: '$who'},
			all: {$push: '$n'}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: null, avg: 2.875, min: 1.5, max: 'bob', first: 'ann',
			last: null, all: [2, 5, long(3), 1.5]}]}}`},
	}},
	{"group/count accumulator", orders, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: null, n: {$count: {}}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: null, n: 4}]}}`},
	}},
	{"group/add to set", orders, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: null, who: {$addToSet: '$who'}}},
			{$project: {_id: 0, n: {$size: '$who'}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{n: 3}]}}`},
	}},
	{"group/push of missing values leaves them out", orders, []step{
		{`{aggregate: 'c', pipeline: [{$sort: {_id: 1}}, {$group: {_id: null, at: {$push: '$at'},
			who: {$push: {w: '$who'}}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: null, at: [{x: 1}], who: [{w: 'ann'}, {w: 'bob'},
			{w: 'ann'}, {w: null}]}]}}`},
	}},
	{"group/sum leaves text out", orders, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: null, n: {$sum: '$who'}, a: {$avg: '$who'}}}],
			cursor: {}}`, `{cursor: {firstBatch: [{_id: null, n: 0, a: null}]}}`},
	}},
	{"group/by several fields", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {_id: {$lt: 4}}}, {$group: {_id: {w: '$who',
			big: {$gt: ['$n', 2]}}, n: {$sum: 1}}}, {$sort: {_id.w: 1, _id.big: 1}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: {w: 'ann', big: false}, n: 1}, {_id: {w: 'ann',
			big: true}, n: 1}, {_id: {w: 'bob', big: true}, n: 1}]}}`},
	}},
	{"group/numbers of two types are one",
		`[{_id: 1, a: 1}, {_id: 2, a: 1.0}, {_id: 3, a: long(1)}, {_id: 4, a: '1'}]`, []step{
			{`{aggregate: 'c', pipeline: [{$sort: {_id: 1}}, {$group: {_id: '$a', n: {$sum: 1}}},
			{$sort: {n: 1}}, {$project: {_id: 0, n: 1}}], cursor: {}}`,
				`{cursor: {firstBatch: [{n: 1}, {n: 3}]}}`},
		}},
	{"group/null and missing are one", `[{_id: 1, a: null}, {_id: 2}]`, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: '$a', n: {$sum: 1}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: null, n: 2}]}}`},
	}},
	{"group/sum of ints beyond their range", `[{_id: 1, a: 2147483647}, {_id: 2, a: 1}]`, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: null, n: {$sum: '$a'}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: null, n: long(2147483648)}]}}`},
	}},
	{"group/of nothing", ``, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: null, n: {$sum: 1}}}], cursor: {}}`,
			`{cursor: {firstBatch: []}}`},
	}},
	{"group/mergeObjects", orders, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: null, m: {$mergeObjects: '$at'}}}],
			cursor: {}}`, `{cursor: {firstBatch: [{_id: null, m: {x: 1}}]}}`},
	}},
}

var aggregateErrors = []script{
	{"aggregate/unknown stage", orders, []step{
		{`{aggregate: 'c', pipeline: [{$nope: 1}], cursor: {}}`,
			`{ok: 0.0, code: 40324, codeName: 'Location40324',
			errmsg: 'Unrecognized pipeline stage name: \'$nope\''}`},
	}},
	{"aggregate/a stage of two", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {}, $limit: 1}], cursor: {}}`,
			`!40323 Location40323`},
	}},
	{"aggregate/a stage of no document", orders, []step{
		{`{aggregate: 'c', pipeline: [5], cursor: {}}`, `!14 TypeMismatch`},
	}},
	{"aggregate/without a cursor", orders, []step{
		{`{aggregate: 'c', pipeline: []}`, `!9 FailedToParse`},
	}},
	{"aggregate/without a pipeline", orders, []step{
		{`{aggregate: 'c', cursor: {}}`, `!40414 Location40414`},
	}},
	{"aggregate/match of no document", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: 5}], cursor: {}}`, `!15959 Location15959`},
	}},
	{"aggregate/project of nothing", orders, []step{
		{`{aggregate: 'c', pipeline: [{$project: {}}], cursor: {}}`, `!51272 Location51272`},
	}},
	{"aggregate/project including and excluding", orders, []step{
		{`{aggregate: 'c', pipeline: [{$project: {a: 1, b: 0}}], cursor: {}}`,
			`!31254 Location31254`},
	}},
	{"aggregate/set of nothing", orders, []step{
		{`{aggregate: 'c', pipeline: [{$set: {}}], cursor: {}}`,
			`{cursor: {firstBatch: [{_id: 1, who: 'ann', n: 2, at: {x: 1}, tags: ['a', 'b']},
			{_id: 2, who: 'bob', n: 5, tags: []}, {_id: 3, who: 'ann', n: long(3), tags: 'c'},
			{_id: 4, who: null, n: 1.5}]}}`},
	}},
	{"aggregate/set of no document", orders, []step{
		{`{aggregate: 'c', pipeline: [{$set: 5}], cursor: {}}`, `!40272 Location40272`},
	}},
	{"aggregate/set of a name with a dollar", orders, []step{
		{`{aggregate: 'c', pipeline: [{$set: {$a: 5}}], cursor: {}}`, `!16410 Location16410`},
	}},
	{"aggregate/unset of a number", orders, []step{
		{`{aggregate: 'c', pipeline: [{$unset: 5}], cursor: {}}`, `!31002 Location31002`},
	}},
	{"aggregate/unset of a path with a dollar", orders, []step{
		{`{aggregate: 'c', pipeline: [{$unset: '$a'}], cursor: {}}`, `!16410 Location16410`},
	}},
	{"aggregate/limit of zero", orders, []step{
		{`{aggregate: 'c', pipeline: [{$limit: 0}], cursor: {}}`, `!15958 Location15958`},
	}},
	{"aggregate/skip of less than zero", orders, []step{
		{`{aggregate: 'c', pipeline: [{$skip: -1}], cursor: {}}`, `!5107200 Location5107200`},
	}},
	{"aggregate/sort by nothing", orders, []step{
		{`{aggregate: 'c', pipeline: [{$sort: {}}], cursor: {}}`, `!15976 Location15976`},
	}},
	{"aggregate/count by an empty name", orders, []step{
		{`{aggregate: 'c', pipeline: [{$count: ''}], cursor: {}}`, `!40157 Location40157`},
	}},
	{"aggregate/group without _id", orders, []step{
		{`{aggregate: 'c', pipeline: [{$group: {n: {$sum: 1}}}], cursor: {}}`,
			`!15955 Location15955`},
	}},
	{"aggregate/group by an unknown accumulator", orders, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: null, n: {$nope: 1}}}], cursor: {}}`,
			`!15952 Location15952`},
	}},
	{"aggregate/group by no accumulator", orders, []step{
		{`{aggregate: 'c', pipeline: [{$group: {_id: null, n: 1}}], cursor: {}}`,
			`!40234 Location40234`},
	}},
	{"aggregate/unwind without a dollar", orders, []step{
		{`{aggregate: 'c', pipeline: [{$unwind: 'tags'}], cursor: {}}`, `!28818 Location28818`},
	}},
	{"aggregate/an expression that fails", orders, []step{
		{`{aggregate: 'c', pipeline: [{$project: {x: {$add: ['$who', 1]}}}], cursor: {}}`,
			`!16554 Location16554`},
	}},
	{"aggregate/change stream not first", orders, []step{
		{`{aggregate: 'c', pipeline: [{$match: {}}, {$changeStream: {}}], cursor: {}}`,
			`!40602 Location40602`},
	}},
	{"aggregate/unknown field", orders, []step{
		{`{aggregate: 'c', pipeline: [], cursor: {}, nope: 1}`, `!40415 Location40415`},
	}},
}
