package conformance

import "slices"

// indexChecks are the checks of indexes: what they forbid, and how they are made and listed.
func indexChecks() []check {
	return slices.Concat(scripts(indexUnique), scripts(indexCommands), scripts(indexErrors),
		needing(Features{TTLMonitor: true}, expiryChecks()))
}

var indexUnique = []script{
	{"unique/two equal values", `[{_id: 1, a: 1}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 2, a: 1}]}`,
			`={n: 0, writeErrors: [{index: 0, code: 11000,
			errmsg: 'E11000 duplicate key error collection: %db.c index: u dup key: { a: 1 }',
			keyPattern: {a: 1}, keyValue: {a: 1}}], ok: 1.0}`},
		{`{insert: 'c', documents: [{_id: 3, a: 2}]}`, `{n: 1}`},
	}},
	{"unique/numbers of two types are equal", `[{_id: 1, a: 1}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 2, a: long(1)}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1},
			keyValue: {a: long(1)}}]}`},
	}},
	{"unique/null and missing are equal", `[{_id: 1}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 2, a: null}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1},
			keyValue: {a: null}}]}`},
		{`{insert: 'c', documents: [{_id: 3}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1},
			keyValue: {a: null}}]}`},
	}},
	{"unique/sparse lets missing ones be", `[{_id: 1}]`, []step{
		{unique(`{a: 1}`, `, sparse: true`), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 2}, {_id: 3, a: null}]}`, `{n: 2}`},
		{`{insert: 'c', documents: [{_id: 4, a: null}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1},
			keyValue: {a: null}}]}`},
	}},
	{"unique/compound", `[{_id: 1, a: 1, b: 1}]`, []step{
		{unique(`{a: 1, b: -1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 2, a: 1, b: 2}]}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 3, a: 1, b: 1}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1, b: -1},
			keyValue: {a: 1, b: 1}}]}`},
		{`{insert: 'c', documents: [{_id: 4, a: 1}]}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 5, a: 1, b: null}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1, b: -1},
			keyValue: {a: 1, b: null}}]}`},
	}},
	{"unique/partial", `[{_id: 1, a: 1, on: true}]`, []step{
		{unique(`{a: 1}`, `, partialFilterExpression: {on: true}`),
			`{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 2, a: 1, on: false}]}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 3, a: 1, on: true}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 1}}]}`},
		{`{update: 'c', updates: [{q: {_id: 2}, u: {$set: {on: true}}}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 1}}],
			nModified: 0}`},
	}},
	{"unique/below", `[{_id: 1, a: {b: 1}}]`, []step{
		{unique(`{a.b: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 2, a: {b: 1}}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a.b: 1},
			keyValue: {a.b: 1}}]}`},
	}},
	{"unique/elements of arrays", `[{_id: 1, a: [1, 2]}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 2, a: [2, 3]}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 2}}]}`},
		{`{insert: 'c', documents: [{_id: 3, a: [5, 5]}]}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 4, a: 1}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 1}}]}`},
	}},
	{"unique/an update into it", `[{_id: 1, a: 1}, {_id: 2, a: 2}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{update: 'c', updates: [{q: {_id: 2}, u: {$set: {a: 1}}}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 1}}],
			nModified: 0}`},
		{`{findAndModify: 'c', query: {_id: 2}, update: [{$set: {a: 1}}]}`, `!11000 DuplicateKey`},
		{`{update: 'c', updates: [{q: {_id: 2}, u: {a: 1}}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 1}}],
			nModified: 0}`},
		{`{update: 'c', updates: [{q: {_id: 2}, u: {$set: {a: 2, b: 1}}}]}`,
			`{n: 1, nModified: 1}`},
	}},
	{"unique/an upsert into it", `[{_id: 1, a: 1}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{update: 'c', updates: [{q: {_id: 9}, u: {$set: {a: 1}}, upsert: true}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 1}}],
			nModified: 0}`},
		{`{update: 'c', updates: [{q: {a: 1}, u: {$set: {b: 1}}, upsert: true}]}`,
			`{n: 1, nModified: 1}`},
	}},
	{"unique/a value that is free again", `[{_id: 1, a: 1}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 2, a: 1}]}`, `{n: 1}`},
	}},
	{"unique/over documents that are not", `[{_id: 1, a: 1}, {_id: 2, a: 1}]`, []step{
		{unique(`{a: 1}`, ``), `!11000 DuplicateKey`},
		{`{listIndexes: 'c'}`, `{cursor: {firstBatch: [{v: 2, key: {_id: 1}, name: '_id_'}]}}`},
	}},
	{"unique/a multi update swaps nothing", `[{_id: 1, a: 1}, {_id: 2, a: 2}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{update: 'c', updates: [{q: {}, u: {$inc: {a: 1}}, multi: true}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 2}}],
			nModified: 0}`},
	}},
}

// unique is the command that makes a unique index.
func unique(key, more string) string {
	return `{createIndexes: 'c',
		indexes: [{key: ` + key + `, name: 'u', unique: true` + more + `}]}`
}

var indexCommands = []script{
	{"index/create in a new collection", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}`,
			`={numIndexesBefore: 1, numIndexesAfter: 2, createdCollectionAutomatically: true,
			commitQuorum: 'votingMembers', ok: 1.0}`},
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}`,
			`={numIndexesBefore: 2, numIndexesAfter: 2, note: 'all indexes already exist',
			ok: 1.0}`},
		{`{createIndexes: 'c', indexes: [{key: {b: 1}, name: 'b_1'}, {key: {c: -1},
			name: 'c_-1'}]}`,
			`={numIndexesBefore: 2, numIndexesAfter: 4, createdCollectionAutomatically: false,
			commitQuorum: 'votingMembers', ok: 1.0}`},
	}},
	{"index/list", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1, b: -1}, name: 'x', unique: true,
			sparse: true}, {key: {t: 1}, name: 'ttl', expireAfterSeconds: 60}, {key: {p: 1},
			name: 'part', partialFilterExpression: {q: {$gt: 1}}}, {key: {a.b: 1}, name: 'below',
			background: true, hidden: true}]}`, `{numIndexesBefore: 1, numIndexesAfter: 5}`},
		{`{listIndexes: 'c'}`,
			`={cursor: {id: long(0), ns: '%db.c', firstBatch: [{v: 2, key: {_id: 1},
			name: '_id_'}, {v: 2, key: {a: 1, b: -1}, name: 'x', unique: true, sparse: true}, {v: 2,
			key: {t: 1}, name: 'ttl', expireAfterSeconds: 60}, {v: 2, key: {p: 1}, name: 'part',
			partialFilterExpression: {q: {$gt: 1}}}, {v: 2, key: {a.b: 1}, name: 'below',
			background: true, hidden: true}]}, ok: 1.0}`},
		{`{listIndexes: 'nope'}`, `!26 NamespaceNotFound`},
	}},
	{"index/list in batches", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{listIndexes: 'c', cursor: {batchSize: 2}}`,
			`{cursor: {firstBatch: [{v: 2, key: {_id: 1}, name: '_id_'}, {v: 2, key: {a: 1},
			name: 'a'}]}}`},
	}},
	{"index/drop by name", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}, {key: {b: 1}, name: 'b'}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 3}`},
		{`{dropIndexes: 'c', index: 'a'}`, `={nIndexesWas: 3, ok: 1.0}`},
		{`{dropIndexes: 'c', index: 'a'}`, `!27 IndexNotFound`},
		{`{dropIndexes: 'c', index: {b: 1}}`, `{nIndexesWas: 2}`},
		{`{listIndexes: 'c'}`, `{cursor: {firstBatch: [{v: 2, key: {_id: 1}, name: '_id_'}]}}`},
	}},
	{"index/drop all", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}, {key: {b: 1}, name: 'b'}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 3}`},
		{`{dropIndexes: 'c', index: '*'}`,
			`={nIndexesWas: 3, msg: 'non-_id indexes dropped for collection', ok: 1.0}`},
		{`{dropIndexes: 'c', index: ['a', 'b']}`, `!27 IndexNotFound`},
	}},
	{"index/drop that of _id", `[{_id: 1}]`, []step{
		{`{dropIndexes: 'c', index: '_id_'}`, `!72 InvalidOptions`},
		{`{dropIndexes: 'c', index: {_id: 1}}`, `!72 InvalidOptions`},
	}},
	{"index/drop in a collection that is not there", ``, []step{
		{`{dropIndexes: 'c', index: 'a'}`, `!26 NamespaceNotFound`},
	}},
	{"index/unique again after it was dropped", `[{_id: 1, a: 1}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{dropIndexes: 'c', index: 'u'}`, `{nIndexesWas: 2}`},
		{`{insert: 'c', documents: [{_id: 2, a: 1}]}`, `{n: 1}`},
		{unique(`{a: 1}`, ``), `!11000 DuplicateKey`},
	}},
	{"index/that of _id", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {_id: 1}, name: '_id_'}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 1, createdCollectionAutomatically: true,
			commitQuorum: 'votingMembers', note: 'all indexes already exist'}`},
		{`{createIndexes: 'c', indexes: [{key: {_id: 1}, name: 'other'}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 1, note: 'all indexes already exist'}`},
		{`{listIndexes: 'c'}`, `{cursor: {firstBatch: [{v: 2, key: {_id: 1}, name: '_id_'}]}}`},
	}},
	{"index/the time to live is changed", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {t: 1}, name: 'ttl', expireAfterSeconds: 60}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{collMod: 'c', index: {name: 'ttl', expireAfterSeconds: 90}}`,
			`{expireAfterSeconds_old: long(60), expireAfterSeconds_new: long(90)}`},
		{`{collMod: 'c', index: {keyPattern: {t: 1}, expireAfterSeconds: long(91)}}`,
			`{expireAfterSeconds_old: long(90), expireAfterSeconds_new: long(91)}`},
		{`{listIndexes: 'c'}`,
			`{cursor: {firstBatch: [{v: 2, key: {_id: 1}, name: '_id_'}, {v: 2, key: {t: 1},
			name: 'ttl', expireAfterSeconds: 91}]}}`},
		{`{collMod: 'c', index: {name: 'nope', expireAfterSeconds: 90}}`, `!27 IndexNotFound`},
	}},
}

var indexErrors = []script{
	{"index/the name with other options", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'x'}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'x', unique: true}]}`,
			`!86 IndexKeySpecsConflict`},
		{`{createIndexes: 'c', indexes: [{key: {b: 1}, name: 'x'}]}`, `!86 IndexKeySpecsConflict`},
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'y'}]}`, `!85 IndexOptionsConflict`},
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'y', unique: true}]}`,
			`{numIndexesBefore: 2, numIndexesAfter: 3}`},
		{`{createIndexes: 'c', indexes: [{key: {a: -1}, name: 'z'}]}`,
			`{numIndexesBefore: 3, numIndexesAfter: 4}`},
	}},
	{"index/another time to live", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'x', expireAfterSeconds: 5}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'x', expireAfterSeconds: 6}]}`,
			`!85 IndexOptionsConflict`},
	}},
	{"index/without a name", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}}]}`, `!9 FailedToParse`},
	}},
	{"index/without a key", ``, []step{
		{`{createIndexes: 'c', indexes: [{name: 'a'}]}`, `!9 FailedToParse`},
	}},
	{"index/of no fields", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {}, name: 'a'}]}`, `!67 CannotCreateIndex`},
	}},
	{"index/none", ``, []step{
		{`{createIndexes: 'c', indexes: []}`, `!2 BadValue`},
	}},
	{"index/direction zero", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 0}, name: 'a'}]}`, `!67 CannotCreateIndex`},
	}},
	{"index/an unknown kind", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 'nope'}, name: 'a'}]}`, `!67 CannotCreateIndex`},
	}},
	{"index/an unknown option", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a', nope: 1}]}`,
			`!197 InvalidIndexSpecificationOption`},
	}},
	{"index/a field with a dollar", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {$a: 1}, name: 'a'}]}`, `!67 CannotCreateIndex`},
	}},
	{"index/a time to live of two fields", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'a', expireAfterSeconds: 5}]}`,
			`!67 CannotCreateIndex`},
	}},
	{"index/a negative time to live", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a', expireAfterSeconds: -5}]}`,
			`!67 CannotCreateIndex`},
	}},
	{"index/a partial one by what can't be", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a',
			partialFilterExpression: {a: {$ne: 5}}}]}`, `!67 CannotCreateIndex`},
	}},
	{"index/two arrays in one document", ``, []step{
		{`{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'a'}]}`,
			`{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{insert: 'c', documents: [{_id: 1, a: [1], b: [1]}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 171}]}`},
	}},
}
