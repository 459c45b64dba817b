package conformance

// argumentChecks are the checks of what every command takes.
func argumentChecks() []check { return scripts(commonArguments) }

var commonArguments = []script{
	{"argument/comment", `[{_id: 1}]`, []step{
		{`{insert: 'c', documents: [{_id: 2}], comment: 'x'}`, `{n: 1}`},
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 1}}}], comment: {a: 1}}`,
			`{n: 1, nModified: 1}`},
		{`{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}], comment: 1}`, `{n: 1}`},
		{`{count: 'c', comment: 'x'}`, `{n: 1}`},
		{`{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}], comment: 'x'}`,
			`{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{drop: 'c', comment: 'x'}`, `{nIndexesWas: 2, ns: '%db.c'}`},
	}},
	{"argument/maxTimeMS", `[{_id: 1}]`, []step{
		{`{find: 'c', maxTimeMS: 5000}`, `{cursor: {firstBatch: [{_id: 1}]}}`},
		{`{findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 1}}, maxTimeMS: 5000}`,
			`{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1}}`},
		{`{insert: 'c', documents: [{_id: 2}], maxTimeMS: long(5000)}`, `{n: 1}`},
		{`{ping: 1, maxTimeMS: 0}`, `{}`},
		{`{find: 'c', maxTimeMS: -1}`, `!2 BadValue`},
		{`{find: 'c', maxTimeMS: 'x'}`, `!2 BadValue`},
	}},
	{"argument/read concerns", `[{_id: 1}]`, []step{
		{`{find: 'c', readConcern: {level: 'local'}}`, `{cursor: {firstBatch: [{_id: 1}]}}`},
		{`{find: 'c', readConcern: {level: 'available'}}`, `{cursor: {firstBatch: [{_id: 1}]}}`},
		{`{aggregate: 'c', pipeline: [], cursor: {}, readConcern: {level: 'majority'}}`,
			`{cursor: {firstBatch: [{_id: 1}]}}`},
		{`{count: 'c', readConcern: {level: 'majority'}}`, `{n: 1}`},
		{`{find: 'c', readConcern: {}}`, `{cursor: {firstBatch: [{_id: 1}]}}`},
		{`{find: 'c', readConcern: 5}`, `!9 FailedToParse`},
		{`{find: 'c', readConcern: {nope: 5}}`, `!72 InvalidOptions`},
		{`{insert: 'c', documents: [{_id: 2}], readConcern: {level: 'majority'}}`,
			`!72 InvalidOptions`},
	}},
	{"argument/write concerns", ``, []step{
		{`{insert: 'c', documents: [{_id: 1}], writeConcern: {w: 'majority', wtimeout: 5000}}`,
			`{n: 1}`},
		{`{insert: 'c', documents: [{_id: 2}], writeConcern: {w: 1, j: true}}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 3}], writeConcern: {}}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 4}], writeConcern: {w: -1}}`, `!9 FailedToParse`},
		{`{insert: 'c', documents: [{_id: 5}], writeConcern: {w: 51}}`, `!9 FailedToParse`},
		{`{insert: 'c', documents: [{_id: 6}], writeConcern: {nope: 1}}`, `!40415 Location40415`},
		{`{insert: 'c', documents: [{_id: 7}], writeConcern: 5}`, `!14 TypeMismatch`},
		{`{find: 'c', writeConcern: {w: 1}}`, `!72 InvalidOptions`},
		{`{create: 'd', writeConcern: {w: 'majority'}}`, `{}`},
	}},
	{"argument/names of commands have their case", ``, []step{
		{`{Find: 'c'}`, `!59 CommandNotFound`},
		{`{PING: 1}`, `!59 CommandNotFound`},
	}},
	{"argument/variables of the wrong kind", ``, []step{
		{`{find: 'c', let: 5}`, `!14 TypeMismatch`},
		{`{find: 'c', let: {X: 1}}`, `!9 FailedToParse`},
		{`{aggregate: 'c', pipeline: [], cursor: {}, let: {x: '$a'}}`, `!4890500 Location4890500`},
	}},
	{"argument/a cursor has a batch size and nothing else", ``, []step{
		{`{aggregate: 'c', pipeline: [], cursor: {nope: 1}}`, `!40415 Location40415`},
	}},
	{"argument/collation is simple or refused", `[{_id: 1, a: 'x'}]`, []step{
		{`{find: 'c', filter: {a: 'x'}, collation: {locale: 'simple'}}`,
			`{cursor: {firstBatch: [{_id: 1, a: 'x'}]}}`},
	}},
	{"argument/commands of admin", ``, []step{
		{`{setParameter: 1, ttlMonitorSleepSecs: 1}`, `!13 Unauthorized`},
		{`{getParameter: 1, ttlMonitorSleepSecs: 1}`, `!13 Unauthorized`},
		{`admin {getParameter: 1, nope: 1}`, `{ok: 0.0, errmsg: 'no option found to get'}`},
		{`admin {setParameter: 1, nope: 1}`, `{ok: 0.0}`},
	}},
}
