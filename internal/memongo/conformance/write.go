package conformance

import "slices"

// writeChecks are the checks of insert, delete, batches of statements and what they answer.
func writeChecks() []check {
	return slices.Concat(
		scripts(insertScripts), scripts(deleteScripts), scripts(batchScripts),
		scripts(answerShapes), scripts(documentLimits), writeProgramChecks(),
	)
}

var insertScripts = []script{
	{"insert/answers with the number", ``, []step{
		{`{insert: 'c', documents: [{_id: 1}, {_id: 2}]}`, `={n: 2, ok: 1.0}`},
	}},
	{"insert/puts _id first", ``, []step{
		{`{insert: 'c', documents: [{a: 1, _id: 1}]}`, `{n: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, a: 1}]}}`},
	}},
	{"insert/makes an _id", ``, []step{
		{`{insert: 'c', documents: [{a: 1}]}`, `{n: 1}`},
		{`{aggregate: 'c', pipeline: [{$project: {_id: 0, kind: {$type: '$_id'}}}], cursor: {}}`,
			`{cursor: {firstBatch: [{kind: 'objectId'}]}}`},
	}},
	{"insert/duplicate key", `[{_id: 1}]`, []step{
		{`{insert: 'c', documents: [{_id: 1}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {_id: 1},
			keyValue: {_id: 1}}]}`},
	}},
	{"insert/duplicate key of another number type", `[{_id: 1}]`, []step{
		{`{insert: 'c', documents: [{_id: 1.0}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {_id: 1},
			keyValue: {_id: 1.0}}]}`},
	}},
	{"insert/duplicate key says which", `[{_id: 'x'}]`, []step{
		{`{insert: 'c', documents: [{_id: 'x'}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, errmsg: 'E11000 duplicate key error ` +
				`collection: %db.c index: _id_ dup key: { _id: "x" }'}]}`},
	}},
	{"insert/ordered stops at the first error", `[{_id: 2}]`, []step{
		{`{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}`,
			`{n: 1, writeErrors: [{index: 1, code: 11000, keyPattern: {_id: 1},
			keyValue: {_id: 2}}]}`},
		{`{find: 'c', sort: {_id: 1}}`, `{cursor: {firstBatch: [{_id: 1}, {_id: 2}]}}`},
	}},
	{"insert/unordered goes on", `[{_id: 2}]`, []step{
		{`{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}, {_id: 2}], ordered: false}`,
			`{n: 2, writeErrors: [{index: 1, code: 11000, keyPattern: {_id: 1},
			keyValue: {_id: 2}}, {index: 3, code: 11000, keyPattern: {_id: 1},
			keyValue: {_id: 2}}]}`},
		{`{find: 'c', sort: {_id: 1}}`, `{cursor: {firstBatch: [{_id: 1}, {_id: 2}, {_id: 3}]}}`},
	}},
	{"insert/_id that is an array", ``, []step{
		{`{insert: 'c', documents: [{_id: [1]}]}`, `{n: 0, writeErrors: [{index: 0, code: 53}]}`},
	}},
	{"insert/_id that is a regex", ``, []step{
		{`{insert: 'c', documents: [{_id: regex('a', '')}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 53}]}`},
	}},
	{"insert/_id that is undefined", ``, []step{
		{`{insert: 'c', documents: [{_id: undefined}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 53}]}`},
	}},
	{"insert/_id that is null", ``, []step{
		{`{insert: 'c', documents: [{_id: null}]}`, `{n: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: null}]}}`},
	}},
	{"insert/_id with a dollar in it", ``, []step{
		{`{insert: 'c', documents: [{_id: {$a: 1}}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 52}]}`},
	}},
	{"insert/no documents", ``, []step{
		{`{insert: 'c', documents: []}`, `!16 InvalidLength`},
	}},
	{"insert/without documents", ``, []step{
		{`{insert: 'c'}`, `!40414 Location40414`},
	}},
	{"insert/a document that is a number", ``, []step{
		{`{insert: 'c', documents: [5]}`, `!14 TypeMismatch`},
	}},
	{"insert/unknown field", ``, []step{
		{`{insert: 'c', documents: [{_id: 1}], nope: 1}`, `!40415 Location40415`},
	}},
	{"insert/names with dollars and dots", ``, []step{
		{`{insert: 'c', documents: [{_id: 1, 'a.b': 1, $c: 2, d: {$e: 1, 'f.g': 2}}]}`, `{n: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, a.b: 1, $c: 2, d: {$e: 1, f.g: 2}}]}}`},
		{`{find: 'c', filter: {a.b: 1}}`, `{cursor: {firstBatch: []}}`},
	}},
	{"insert/an empty name", ``, []step{
		{`{insert: 'c', documents: [{_id: 1, '': 1}]}`, `{n: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, '': 1}]}}`},
	}},
	{"insert/the same name twice", ``, []step{
		{`{insert: 'c', documents: [{_id: 1, a: 1, a: 2}]}`, `{n: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, a: 1, a: 2}]}}`},
		{`{find: 'c', filter: {a: 1}, projection: {_id: 1}}`, `{cursor: {firstBatch: [{_id: 1}]}}`},
		{`{find: 'c', filter: {a: 2}, projection: {_id: 1}}`, `{cursor: {firstBatch: []}}`},
	}},
	{"insert/a zero timestamp is the time", ``, []step{
		{`{insert: 'c', documents: [{_id: 1, a: ts(0, 0), b: {c: ts(0, 0)}}]}`, `{n: 1}`},
		{`{find: 'c', projection: {_id: 0, now: {$gt: ['$a', ts(5, 0)]}, below: '$b.c'}}`,
			`{cursor: {firstBatch: [{now: true, below: ts(0, 0)}]}}`},
	}},
	{"insert/every type comes back as it was", ``, []step{
		{`{insert: 'c', documents: [{_id: 1, a: 1, b: long(2), c: 3.5, d: dec(4.50), e: 'x',
			f: true, g: null, h: date(5), i: ts(6, 7), j: oid('507f1f77bcf86cd799439011'), k: bin(5,
			'aGk='), l: regex('^a', 'i'), m: MinKey, n: MaxKey, o: [1, [2]], p: {q: {}},
			r: {$code: 'f()'}, s: {$symbol: 's'}, t: NaN, u: -Infinity, v: undefined}]}`, `{n: 1}`},
		{`{find: 'c'}`,
			`{cursor: {firstBatch: [{_id: 1, a: 1, b: long(2), c: 3.5, d: dec(4.50), e: 'x',
			f: true, g: null, h: date(5), i: ts(6, 7), j: oid('507f1f77bcf86cd799439011'), k: bin(5,
			'aGk='), l: regex('^a', 'i'), m: MinKey, n: MaxKey, o: [1, [2]], p: {q: {}},
			r: {$code: 'f()'}, s: {$symbol: 's'}, t: NaN, u: -Infinity, v: undefined}]}}`},
	}},
	{"insert/a write concern that can't be", ``, []step{
		{`{insert: 'c', documents: [{_id: 1}], writeConcern: {w: 7, wtimeout: 1}}`,
			`{n: 1, writeConcernError: {code: 100, codeName: 'UnsatisfiableWriteConcern'}}`},
	}},
	{"insert/with a write concern of one", ``, []step{
		{`{insert: 'c', documents: [{_id: 1}], writeConcern: {w: 1}}`, `{n: 1}`},
	}},
}

var deleteScripts = []script{
	{"delete/one", `[{_id: 1, a: 1}, {_id: 2, a: 1}]`, []step{
		{`{delete: 'c', deletes: [{q: {a: 1}, limit: 1}]}`, `={n: 1, ok: 1.0}`},
		{`{count: 'c'}`, `{n: 1}`},
	}},
	{"delete/many", `[{_id: 1, a: 1}, {_id: 2, a: 1}, {_id: 3}]`, []step{
		{`{delete: 'c', deletes: [{q: {a: 1}, limit: 0}]}`, `{n: 2}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 3}]}}`},
	}},
	{"delete/nothing", `[{_id: 1}]`, []step{
		{`{delete: 'c', deletes: [{q: {_id: 5}, limit: 1}]}`, `{n: 0}`},
	}},
	{"delete/in a collection that is not there", ``, []step{
		{`{delete: 'c', deletes: [{q: {}, limit: 0}]}`, `{n: 0}`},
	}},
	{"delete/several statements", `[{_id: 1}, {_id: 2}, {_id: 3}]`, []step{
		{`{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}, {q: {_id: 3}, limit: 0}]}`, `{n: 2}`},
	}},
	{"delete/by expr", `[{_id: 1, a: 1}, {_id: 2, a: 9}]`, []step{
		{`{delete: 'c', deletes: [{q: {$expr: {$gt: ['$a', 5]}}, limit: 0}]}`, `{n: 1}`},
	}},
	{"delete/without a limit", `[{_id: 1}]`, []step{
		{`{delete: 'c', deletes: [{q: {}}]}`, `!40414 Location40414`},
	}},
	{"delete/limit of two", `[{_id: 1}]`, []step{
		{`{delete: 'c', deletes: [{q: {}, limit: 2}]}`, `!9 FailedToParse`},
	}},
	{"delete/wrong filter", `[{_id: 1}]`, []step{
		{`{delete: 'c', deletes: [{q: {$nope: 1}, limit: 0}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 2}]}`},
	}},
}

var batchScripts = []script{
	{"batch/ordered updates stop at the first error",
		`[{_id: 1, a: 1}, {_id: 2, a: 'x'}, {_id: 3, a: 1}]`, []step{
			{`{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {a: 1}}}, {q: {_id: 2},
			u: {$inc: {a: 1}}}, {q: {_id: 3}, u: {$inc: {a: 1}}}]}`,
				`{n: 1, writeErrors: [{index: 1, code: 14}], nModified: 1}`},
			{`{find: 'c', sort: {_id: 1}}`,
				`{cursor: {firstBatch: [{_id: 1, a: 2}, {_id: 2, a: 'x'}, {_id: 3, a: 1}]}}`},
		}},
	{"batch/unordered updates go on", `[{_id: 1, a: 1}, {_id: 2, a: 'x'}, {_id: 3, a: 1}]`, []step{
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$inc: {a: 1}}}, {q: {_id: 2},
			u: {$inc: {a: 1}}}, {q: {_id: 3}, u: {$inc: {a: 1}}}], ordered: false}`,
			`{n: 2, writeErrors: [{index: 1, code: 14}], nModified: 2}`},
		{`{find: 'c', sort: {_id: 1}}`,
			`{cursor: {firstBatch: [{_id: 1, a: 2}, {_id: 2, a: 'x'}, {_id: 3, a: 2}]}}`},
	}},
	{"batch/upserts say their place", `[{_id: 2}]`, []step{
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 1}}, upsert: true}, {q: {_id: 2},
			u: {$set: {a: 1}}, upsert: true}, {q: {_id: 3}, u: {$set: {a: 1}}, upsert: true}]}`,
			`={n: 3, upserted: [{index: 0, _id: 1}, {index: 2, _id: 3}], nModified: 1, ok: 1.0}`},
	}},
	{"batch/statements see each other", `[{_id: 1, a: 1}]`, []step{
		{`{update: 'c', updates: [{q: {a: 1}, u: {$set: {a: 2}}}, {q: {a: 2}, u: {$set: {a: 3}}}]}`,
			`{n: 2, nModified: 2}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, a: 3}]}}`},
	}},
	{"batch/a statement that can't be read refuses all", `[{_id: 1}]`, []step{
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 2}}}, {u: {$set: {a: 3}}}]}`,
			`!40414 Location40414`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1}]}}`},
	}},
	{"batch/no updates", ``, []step{
		{`{update: 'c', updates: []}`, `!16 InvalidLength`},
	}},
	{"batch/no deletes", ``, []step{
		{`{delete: 'c', deletes: []}`, `!16 InvalidLength`},
	}},
}

var answerShapes = []script{
	{"answer/update", `[{_id: 1}]`, []step{
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 1}}}]}`,
			`={n: 1, nModified: 1, ok: 1.0}`},
	}},
	{"answer/update with errors", `[{_id: 1}]`, []step{
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {_id: 2}}}]}`,
			`={n: 0, writeErrors: [{index: 0, code: 66,
			errmsg: 'Performing an update on the path \'_id\' would modify ` +
				`the immutable field \'_id\''}],
			nModified: 0, ok: 1.0}`},
	}},
	{"answer/insert with errors", `[{_id: 1}]`, []step{
		{`{insert: 'c', documents: [{_id: 1}]}`,
			`={n: 0, writeErrors: [{index: 0, code: 11000,
			errmsg: 'E11000 duplicate key error collection: %db.c index: _id_ dup key: { _id: 1 }',
			keyPattern: {_id: 1}, keyValue: {_id: 1}}], ok: 1.0}`},
	}},
	{"answer/findAndModify", `[{_id: 1}]`, []step{
		{`{findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 1}}}`,
			`={lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1}, ok: 1.0}`},
		{`{findAndModify: 'c', query: {_id: 2}, update: {$set: {a: 1}}, upsert: true}`,
			`={lastErrorObject: {n: 1, updatedExisting: false, upserted: 2}, value: null,
			ok: 1.0}`},
	}},
	{"answer/find", `[{_id: 1}]`, []step{
		{`{find: 'c'}`, `={cursor: {firstBatch: [{_id: 1}], id: long(0), ns: '%db.c'}, ok: 1.0}`},
	}},
	{"answer/aggregate", `[{_id: 1}]`, []step{
		{`{aggregate: 'c', pipeline: [], cursor: {}}`,
			`={cursor: {firstBatch: [{_id: 1}], id: long(0), ns: '%db.c'}, ok: 1.0}`},
	}},
	{"answer/count", `[{_id: 1}]`, []step{
		{`{count: 'c'}`, `={n: 1, ok: 1.0}`},
	}},
	{"answer/distinct", `[{_id: 1}]`, []step{
		{`{distinct: 'c', key: '_id'}`, `={values: [1], ok: 1.0}`},
	}},
	{"answer/error", ``, []step{
		{`{find: 'c', filter: {$nope: 1}}`,
			`={ok: 0.0,
			errmsg: 'unknown top level operator: $nope. If you have a field name that starts ` +
				`with a \'$\' symbol, consider using $getField or $setField.',
			code: 2, codeName: 'BadValue'}`},
	}},
	{"answer/no such command", ``, []step{
		{`{nope: 1}`,
			`={ok: 0.0, errmsg: 'no such command: \'nope\'', code: 59,
			codeName: 'CommandNotFound'}`},
	}},
	{"answer/create and drop", ``, []step{
		{`{create: 'c'}`, `={ok: 1.0}`},
		{`{drop: 'c'}`, `={nIndexesWas: 1, ns: '%db.c', ok: 1.0}`},
		{`{drop: 'c'}`,
			`={ok: 0.0, errmsg: 'ns not found', code: 26, codeName: 'NamespaceNotFound'}`},
	}},
	{"answer/dropDatabase", `[{_id: 1}]`, []step{
		{`{dropDatabase: 1}`, `={ok: 1.0}`},
		{`{dropDatabase: 1}`, `={ok: 1.0}`},
	}},
	{"answer/ping", ``, []step{
		{`{ping: 1}`, `={ok: 1.0}`},
	}},
}

var documentLimits = []script{
	{"limit/names of a path with dollars are not updated", `[{_id: 1, $a: 1}]`, []step{
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: 1}}}]}`, `{n: 1, nModified: 1}`},
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$unset: {$a: 1}}}]}`, `{n: 1, nModified: 1}`},
	}},
	{"limit/a pipeline may set names with dollars by setField", `[{_id: 1}]`, []step{
		{`{update: 'c', updates: [{q: {_id: 1},
			u: [{$replaceWith: {$setField: {field: {$literal: '$x'}, input: '$$ROOT',
			value: 1}}}]}]}`, `{n: 1, nModified: 1}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, $x: 1}]}}`},
	}},
}
