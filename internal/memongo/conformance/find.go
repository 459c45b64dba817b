package conformance

import "slices"

// findChecks are the checks of reading: find, its cursors, count and distinct.
func findChecks() []check {
	return slices.Concat(
		scripts(findOrder), scripts(findNaturalOrder), scripts(findProjection),
		scripts(findCursor), scripts(findErrors),
		scripts(countAndDistinct), cursorChecks(),
	)
}

const (
	people = `[{_id: 1, name: 'ann', age: 30, at: {city: 'x'}, tags: ['a', 'b']},
		{_id: 2, name: 'bob', age: 25, at: {city: 'y'}, tags: []}, {_id: 3, name: 'cat', age: 30}]`
	mixed = `[{_id: 1, a: 'x'}, {_id: 2, a: 5}, {_id: 3}, {_id: 4, a: null}, {_id: 5, a: [9, 1]},
		{_id: 6, a: {b: 1}}, {_id: 7, a: true}, {_id: 8, a: date(1)}, {_id: 9, a: 2.5},
		{_id: 10, a: MinKey}, {_id: 11, a: MaxKey}, {_id: 12, a: []}]`
)

var findOrder = []script{
	{"find/sort", people, []step{
		{`{find: 'c', sort: {age: 1, _id: -1}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 2}, {_id: 3}, {_id: 1}]}}`},
	}},
	{"find/sort mixed types", mixed, []step{
		{`{find: 'c', sort: {a: 1, _id: 1}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 10}, {_id: 12}, {_id: 3}, {_id: 4}, {_id: 5}, {_id: 9},
			{_id: 2}, {_id: 1}, {_id: 6}, {_id: 7}, {_id: 8}, {_id: 11}]}}`},
		{`{find: 'c', sort: {a: -1, _id: 1}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 11}, {_id: 8}, {_id: 7}, {_id: 6}, {_id: 1}, {_id: 5},
			{_id: 2}, {_id: 9}, {_id: 3}, {_id: 4}, {_id: 12}, {_id: 10}]}}`},
	}},
	{"find/sort below", people, []step{
		{`{find: 'c', sort: {at.city: -1, _id: 1}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 2}, {_id: 1}, {_id: 3}]}}`},
	}},
	{"find/sort by arrays of documents",
		`[{_id: 1, a: [{b: 3}, {b: 7}]}, {_id: 2, a: [{b: 5}]}, {_id: 3, a: []}, {_id: 4,
		a: {b: 1}}]`, []step{
			{`{find: 'c', sort: {a.b: 1}, projection: {_id: 1}}`,
				`{cursor: {firstBatch: [{_id: 3}, {_id: 4}, {_id: 1}, {_id: 2}]}}`},
			{`{find: 'c', sort: {a.b: -1}, projection: {_id: 1}}`,
				`{cursor: {firstBatch: [{_id: 1}, {_id: 2}, {_id: 4}, {_id: 3}]}}`},
		}},
	{"find/skip and limit", people, []step{
		{`{find: 'c', sort: {_id: 1}, skip: 1, limit: 1, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 2}]}}`},
		{`{find: 'c', sort: {_id: 1}, skip: 7, projection: {_id: 1}}`,
			`{cursor: {firstBatch: []}}`},
		{`{find: 'c', sort: {_id: 1}, limit: 0, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 1}, {_id: 2}, {_id: 3}]}}`},
	}},
	{"find/sort by natural order", people, []step{
		{`{find: 'c', sort: {$natural: -1}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 3}, {_id: 2}, {_id: 1}]}}`},
	}},
	{"find/in a collection that is not there", ``, []step{
		{`{find: 'c'}`, `{cursor: {firstBatch: []}}`},
	}},
	{"find/variables of the command", people, []step{
		{`{find: 'c', filter: {$expr: {$eq: ['$age', '$$x']}}, let: {x: 25}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 2}]}}`},
	}},
	{"find/comment and hint", people, []step{
		{`{find: 'c', filter: {_id: 1}, hint: {_id: 1}, comment: 'x', projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 1}]}}`},
	}},
}

// Without a sort the order is that of insertion, or of the index that is used.
var findNaturalOrder = []script{
	{"order/of insertion", `[{_id: 3}, {_id: 1}, {_id: 2}]`, []step{
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 3}, {_id: 1}, {_id: 2}]}}`},
	}},
	{"order/an update keeps the place", `[{_id: 3}, {_id: 1}, {_id: 2}]`, []step{
		{`{update: 'c', updates: [{q: {_id: 3}, u: {$set: {a: 1}}}]}`, `{n: 1, nModified: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 3, a: 1}, {_id: 1}, {_id: 2}]}}`},
	}},
	{"order/inserted again goes last", `[{_id: 3}, {_id: 1}, {_id: 2}]`, []step{
		{`{delete: 'c', deletes: [{q: {_id: 3}, limit: 1}]}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 3}]}`, `{n: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1}, {_id: 2}, {_id: 3}]}}`},
	}},
	{"order/by a range of _id", `[{_id: 3}, {_id: 1}, {_id: 2}]`, []step{
		{`{find: 'c', filter: {_id: {$gte: 1}}}`,
			`{cursor: {firstBatch: [{_id: 1}, {_id: 2}, {_id: 3}]}}`},
	}},
	{"order/by a list of _id", `[{_id: 3}, {_id: 1}, {_id: 2}]`, []step{
		{`{find: 'c', filter: {_id: {$in: [3, 1]}}}`,
			`{cursor: {firstBatch: [{_id: 1}, {_id: 3}]}}`},
	}},
	{"order/update one takes the first", `[{_id: 3, a: 1}, {_id: 1, a: 1}, {_id: 2, a: 1}]`, []step{
		{`{update: 'c', updates: [{q: {a: 1}, u: {$set: {a: 2}}}]}`, `{n: 1, nModified: 1}`},
		{`{find: 'c', filter: {a: 2}}`, `{cursor: {firstBatch: [{_id: 3, a: 2}]}}`},
	}},
	{"order/findAndModify takes the first",
		`[{_id: 3, a: 1}, {_id: 1, a: 1}, {_id: 2, a: 1}]`, []step{
			{`{findAndModify: 'c', query: {a: 1}, remove: true}`,
				`{lastErrorObject: {n: 1}, value: {_id: 3, a: 1}}`},
		}},
	{"order/delete one takes the first", `[{_id: 3, a: 1}, {_id: 1, a: 1}, {_id: 2, a: 1}]`, []step{
		{`{delete: 'c', deletes: [{q: {a: 1}, limit: 1}]}`, `{n: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, a: 1}, {_id: 2, a: 1}]}}`},
	}},
}

var findProjection = []script{
	{"projection/include", people, []step{
		{`{find: 'c', filter: {_id: 1}, projection: {name: 1, at: true}}`,
			`{cursor: {firstBatch: [{_id: 1, name: 'ann', at: {city: 'x'}}]}}`},
	}},
	{"projection/include without _id", people, []step{
		{`{find: 'c', filter: {_id: 1}, projection: {name: 1, _id: 0}}`,
			`{cursor: {firstBatch: [{name: 'ann'}]}}`},
	}},
	{"projection/include keeps the document's order", people, []step{
		{`{find: 'c', filter: {_id: 1}, projection: {age: 1, name: 1}}`,
			`{cursor: {firstBatch: [{_id: 1, name: 'ann', age: 30}]}}`},
	}},
	{"projection/include below", people, []step{
		{`{find: 'c', filter: {_id: {$lt: 3}}, projection: {at.city: 1}}`,
			`{cursor: {firstBatch: [{_id: 1, at: {city: 'x'}}, {_id: 2, at: {city: 'y'}}]}}`},
		{`{find: 'c', filter: {_id: 1}, projection: {at: {city: 1}}}`,
			`{cursor: {firstBatch: [{_id: 1, at: {city: 'x'}}]}}`},
	}},
	{"projection/include below arrays",
		`[{_id: 1, a: [{b: 1, c: 1}, 5, {c: 2}, [{b: 3, c: 1}]]}]`, []step{
			{`{find: 'c', projection: {a.b: 1}}`,
				`{cursor: {firstBatch: [{_id: 1, a: [{b: 1}, {}, [{b: 3}]]}]}}`},
		}},
	{"projection/exclude", people, []step{
		{`{find: 'c', filter: {_id: 1}, projection: {tags: 0, at: false, nope: 0}}`,
			`{cursor: {firstBatch: [{_id: 1, name: 'ann', age: 30}]}}`},
	}},
	{"projection/exclude below", `[{_id: 1, a: [{b: 1, c: 1}, 5], d: {b: 1, c: 2}}]`, []step{
		{`{find: 'c', projection: {a.b: 0, d.c: 0}}`,
			`{cursor: {firstBatch: [{_id: 1, a: [{c: 1}, 5], d: {b: 1}}]}}`},
	}},
	{"projection/only _id", people, []step{
		{`{find: 'c', filter: {_id: 1}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 1}]}}`},
	}},
	{"projection/all but _id", people, []step{
		{`{find: 'c', filter: {_id: 3}, projection: {_id: 0}}`,
			`{cursor: {firstBatch: [{name: 'cat', age: 30}]}}`},
	}},
	{"projection/computed", people, []step{
		{`{find: 'c', filter: {_id: 3}, projection: {_id: 0, next: {$add: ['$age', 1]},
			kind: {$literal: 1}, n: '$name', t: 'text'}}`,
			`{cursor: {firstBatch: [{next: 31, kind: 1, n: 'cat', t: 'text'}]}}`},
	}},
	{"projection/root and now", people, []step{
		{`{find: 'c', filter: {_id: 3}, projection: {_id: 0, document: '$$ROOT',
			known: {$eq: [{$type: '$$NOW'}, 'date']}}}`,
			`{cursor: {firstBatch: [{document: {_id: 3, name: 'cat', age: 30}, known: true}]}}`},
	}},
	{"projection/computed over a field", people, []step{
		{`{find: 'c', filter: {_id: 3}, projection: {name: '$age', age: 1}}`,
			`{cursor: {firstBatch: [{_id: 3, age: 30, name: 30}]}}`},
	}},
	{"projection/computed below", people, []step{
		{`{find: 'c', filter: {_id: 1}, projection: {at.town: '$at.city', at.city: 1}}`,
			`{cursor: {firstBatch: [{_id: 1, at: {city: 'x', town: 'x'}}]}}`},
	}},
	{"projection/slice", people, []step{
		{`{find: 'c', filter: {_id: 1}, projection: {tags: {$slice: 1}}}`,
			`{cursor: {firstBatch: [{_id: 1, name: 'ann', age: 30, at: {city: 'x'},
			tags: ['a']}]}}`},
		{`{find: 'c', filter: {_id: 1}, projection: {tags: {$slice: [1, 5]}, name: 1}}`,
			`{cursor: {firstBatch: [{_id: 1, name: 'ann', tags: ['b']}]}}`},
		{`{find: 'c', filter: {_id: 1}, projection: {tags: {$slice: -1}, _id: 0, name: 0}}`,
			`{cursor: {firstBatch: [{age: 30, at: {city: 'x'}, tags: ['b']}]}}`},
	}},
	{"projection/elemMatch", `[{_id: 1, a: [{b: 1, c: 1}, {b: 2, c: 2}, {b: 2, c: 3}]}]`, []step{
		{`{find: 'c', projection: {a: {$elemMatch: {b: 2}}}}`,
			`{cursor: {firstBatch: [{_id: 1, a: [{b: 2, c: 2}]}]}}`},
		{`{find: 'c', projection: {a: {$elemMatch: {b: 7}}}}`,
			`{cursor: {firstBatch: [{_id: 1}]}}`},
	}},
	{"projection/position of what matched", `[{_id: 1, a: [1, 5, 7]}]`, []step{
		{`{find: 'c', filter: {a: {$gt: 4}}, projection: {a.$: 1}}`,
			`{cursor: {firstBatch: [{_id: 1, a: [5]}]}}`},
	}},
	{"projection/include and exclude", people, []step{
		{`{find: 'c', projection: {name: 1, age: 0}}`, `!31254 Location31254`},
		{`{find: 'c', projection: {name: 0, age: 1}}`, `!31253 Location31253`},
	}},
	{"projection/a field and below it", people, []step{
		{`{find: 'c', projection: {at: 1, at.city: 1}}`, `!31249 Location31249`},
	}},
	{"projection/unknown operator", people, []step{
		{`{find: 'c', projection: {at: {$nope: 1}}}`, `!31325 Location31325`},
	}},
	{"projection/empty", people, []step{
		{`{find: 'c', filter: {_id: 3}, projection: {}}`,
			`{cursor: {firstBatch: [{_id: 3, name: 'cat', age: 30}]}}`},
	}},
	{"projection/numbers other than one include", people, []step{
		{`{find: 'c', filter: {_id: 3}, projection: {name: 5.5, _id: long(0)}}`,
			`{cursor: {firstBatch: [{name: 'cat'}]}}`},
	}},
}

var findCursor = []script{
	{"cursor/single batch", people, []step{
		{`{find: 'c', singleBatch: true, batchSize: 2, sort: {_id: 1}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 1}, {_id: 2}]}}`},
	}},
	{"cursor/limit within a batch", people, []step{
		{`{find: 'c', limit: 2, batchSize: 2, sort: {_id: 1}, projection: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 1}, {_id: 2}]}}`},
	}},
	{"cursor/not found", ``, []step{
		{`{getMore: long(12345), collection: 'c'}`, `!43 CursorNotFound`},
	}},
	{"cursor/kill one that is not there", ``, []step{
		{`{killCursors: 'c', cursors: [long(12345)]}`,
			`{cursorsKilled: [], cursorsNotFound: [long(12345)], cursorsAlive: [],
			cursorsUnknown: []}`},
	}},
	{"cursor/getMore of an int", ``, []step{
		{`{getMore: 12345, collection: 'c'}`, `!14 TypeMismatch`},
	}},
}

var findErrors = []script{
	{"find/negative limit", people, []step{
		{`{find: 'c', limit: -1}`, `!51024 Location51024`},
	}},
	{"find/negative skip", people, []step{
		{`{find: 'c', skip: -1}`, `!51024 Location51024`},
	}},
	{"find/negative batch size", people, []step{
		{`{find: 'c', batchSize: -1}`, `!51024 Location51024`},
	}},
	{"find/sort by another number", people, []step{
		{`{find: 'c', sort: {a: 2}}`, `!15975 Location15975`},
	}},
	{"find/sort by text", people, []step{
		{`{find: 'c', sort: {a: 'x'}}`, `!15974 Location15974`},
	}},
	{"find/sort by zero", people, []step{
		{`{find: 'c', sort: {a: 0}}`, `!15975 Location15975`},
	}},
	{"find/unknown field", people, []step{
		{`{find: 'c', nope: 1}`, `!40415 Location40415`},
	}},
	{"find/filter of no document", people, []step{
		{`{find: 'c', filter: 5}`, `!14 TypeMismatch`},
	}},
	{"find/collection of no text", people, []step{
		{`{find: 5}`, `!2 BadValue`},
	}},
	{"find/collection of no name", people, []step{
		{`{find: ''}`, `!73 InvalidNamespace`},
	}},
	{"find/read concern unknown", people, []step{
		{`{find: 'c', readConcern: {level: 'nope'}}`, `!9 FailedToParse`},
	}},
	{"find/read concern majority", people, []step{
		{`{find: 'c', filter: {_id: 1}, projection: {_id: 1}, readConcern: {level: 'majority'}}`,
			`{cursor: {firstBatch: [{_id: 1}]}}`},
	}},
	{"find/the field twice", people, []step{
		{`{find: 'c', limit: 1, limit: 2}`, `!40413 Location40413`},
	}},
}

var countAndDistinct = []script{
	{"count/all and some", people, []step{
		{`{count: 'c'}`, `{n: 3}`},
		{`{count: 'c', query: {age: 30}}`, `{n: 2}`},
		{`{count: 'c', query: {age: 30}, limit: 1}`, `{n: 1}`},
		{`{count: 'c', query: {}, skip: 2}`, `{n: 1}`},
		{`{count: 'nope'}`, `{n: 0}`},
	}},
	{"count/wrong filter", people, []step{
		{`{count: 'c', query: {$nope: 1}}`, `!2 BadValue`},
	}},
	{"distinct/values", people, []step{
		{`{distinct: 'c', key: 'age'}`, `{values: [25, 30]}`},
		{`{distinct: 'c', key: 'age', query: {_id: 2}}`, `{values: [25]}`},
		{`{distinct: 'nope', key: 'age'}`, `{values: []}`},
	}},
	{"distinct/elements of arrays", people, []step{
		{`{distinct: 'c', key: 'tags'}`, `{values: ['a', 'b']}`},
	}},
	{"distinct/below", `[{_id: 1, a: [{b: 1}, {b: 2}]}, {_id: 2, a: {b: 2.0}}, {_id: 3}]`, []step{
		{`{distinct: 'c', key: 'a.b'}`, `{values: [1, 2]}`},
	}},
	{"distinct/without a key", people, []step{
		{`{distinct: 'c'}`, `!40414 Location40414`},
	}},
}
