package conformance

import "slices"

// collectionChecks are the checks of collections and databases.
func collectionChecks() []check {
	return slices.Concat(
		scripts(collectionLife), scripts(collectionList), scripts(collectionNames),
		scripts(collectionOptions), collectionPrograms(),
		needing(Features{Validators: true}, scripts(collectionValidators)),
		needing(Features{Views: true}, scripts(collectionViews)),
		needing(Features{Capped: true}, scripts(collectionCapped)),
	)
}

var collectionLife = []script{
	{"collection/create", ``, []step{
		{`{create: 'c'}`, `{}`},
		{`{count: 'c'}`, `{n: 0}`},
	}},
	{"collection/create twice", ``, []step{
		{`{create: 'c'}`, `{}`},
		{`{create: 'c', validator: {a: 1}}`, `!48 NamespaceExists`},
		{`{create: 'c'}`, `!48 NamespaceExists`},
	}},
	{"collection/create over documents", `[{_id: 1}]`, []step{
		{`{create: 'c'}`, `!48 NamespaceExists`},
	}},
	{"collection/drop", `[{_id: 1}]`, []step{
		{`{drop: 'c'}`, `{nIndexesWas: 1, ns: '%db.c'}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: []}}`},
		{`{drop: 'c'}`, `!26 NamespaceNotFound`},
	}},
	{"collection/drop takes the indexes", `[{_id: 1}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`{drop: 'c'}`, `{nIndexesWas: 2, ns: '%db.c'}`},
		{`{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 1}]}`, `{n: 2}`},
	}},
	{"collection/rename", `[{_id: 1}]`, []step{
		{`admin {renameCollection: '%db.c', to: '%db.d'}`, `={ok: 1.0}`},
		{`{find: 'd'}`, `{cursor: {firstBatch: [{_id: 1}]}}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: []}}`},
	}},
	{"collection/rename keeps indexes", `[{_id: 1, a: 1}]`, []step{
		{unique(`{a: 1}`, ``), `{numIndexesBefore: 1, numIndexesAfter: 2}`},
		{`admin {renameCollection: '%db.c', to: '%db.d'}`, `{}`},
		{`{insert: 'd', documents: [{_id: 2, a: 1}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 11000, keyPattern: {a: 1}, keyValue: {a: 1}}]}`},
	}},
	{"collection/rename onto one that is there", `[{_id: 1}]`, []step{
		{`{insert: 'd', documents: [{_id: 7}]}`, `{n: 1}`},
		{`admin {renameCollection: '%db.c', to: '%db.d'}`, `!48 NamespaceExists`},
		{`admin {renameCollection: '%db.c', to: '%db.d', dropTarget: true}`, `{}`},
		{`{find: 'd'}`, `{cursor: {firstBatch: [{_id: 1}]}}`},
	}},
	{"collection/rename one that is not there", ``, []step{
		{`admin {renameCollection: '%db.c', to: '%db.d'}`, `!26 NamespaceNotFound`},
	}},
	{"collection/rename to itself", `[{_id: 1}]`, []step{
		{`admin {renameCollection: '%db.c', to: '%db.c'}`, `!20 IllegalOperation`},
	}},
	{"collection/rename outside of admin", `[{_id: 1}]`, []step{
		{`{renameCollection: '%db.c', to: '%db.d'}`, `!13 Unauthorized`},
	}},
	{"collection/rename to a wrong name", `[{_id: 1}]`, []step{
		{`admin {renameCollection: '%db.c', to: '%db.'}`, `!73 InvalidNamespace`},
		{`admin {renameCollection: '%db.c', to: '%db.$x'}`, `!20 IllegalOperation`},
	}},
	{"database/drop", `[{_id: 1}]`, []step{
		{`{insert: 'd', documents: [{_id: 1}]}`, `{n: 1}`},
		{`{dropDatabase: 1}`, `{}`},
		{`{listCollections: 1}`, `{cursor: {firstBatch: []}}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: []}}`},
	}},
	{"database/list outside of admin", ``, []step{
		{`{listDatabases: 1}`, `!13 Unauthorized`},
	}},
}

var collectionList = []script{
	{"list/collections by name", `[{_id: 1}]`, []step{
		{`{listCollections: 1, nameOnly: true}`,
			`={cursor: {id: long(0), ns: '%db.$cmd.listCollections', firstBatch: [{name: 'c',
			type: 'collection'}]}, ok: 1.0}`},
	}},
	{"list/collections of a filter", `[{_id: 1}]`, []step{
		{`{create: 'd'}`, `{}`},
		{`{listCollections: 1, nameOnly: true, filter: {name: 'd'}}`,
			`{cursor: {firstBatch: [{name: 'd', type: 'collection'}]}}`},
		{`{listCollections: 1, nameOnly: true, filter: {name: {$in: ['c', 'nope']}}}`,
			`{cursor: {firstBatch: [{name: 'c', type: 'collection'}]}}`},
		{`{listCollections: 1, nameOnly: true, filter: {name: 'nope'}}`,
			`{cursor: {firstBatch: []}}`},
		{`{listCollections: 1, nameOnly: true, filter: {type: 'view'}}`,
			`{cursor: {firstBatch: []}}`},
	}},
	{"list/collections of no database", ``, []step{
		{`{listCollections: 1}`,
			`={cursor: {id: long(0), ns: '%db.$cmd.listCollections', firstBatch: []}, ok: 1.0}`},
	}},
}

var collectionNames = []script{
	{"name/with a dollar", ``, []step{
		{`{create: 'a$b'}`, `!73 InvalidNamespace`},
		{`{insert: 'a$b', documents: [{_id: 1}]}`, `!73 InvalidNamespace`},
	}},
	{"name/that is empty", ``, []step{
		{`{create: ''}`, `!73 InvalidNamespace`},
		{`{insert: '', documents: [{_id: 1}]}`, `!73 InvalidNamespace`},
	}},
	{"name/that begins with a dot", ``, []step{
		{`{create: '.a'}`, `!73 InvalidNamespace`},
	}},
	{"name/that ends with a dot", ``, []step{
		{`{create: 'a.'}`, `{}`},
	}},
	{"name/with a dot", ``, []step{
		{`{create: 'a.b'}`, `{}`},
		{`{insert: 'a.b', documents: [{_id: 1}]}`, `{n: 1}`},
	}},
	{"name/of the system", ``, []step{
		{`{create: 'system.nope'}`, `!73 InvalidNamespace`},
		{`{insert: 'system.nope', documents: [{_id: 1}]}`, `!73 InvalidNamespace`},
	}},
	{"name/of no text", ``, []step{
		{`{create: 5}`, `!2 BadValue`},
		{`{drop: 5}`, `!2 BadValue`},
		{`{insert: 5, documents: [{_id: 1}]}`, `!2 BadValue`},
	}},
}

var collectionOptions = []script{
	{"option/unknown", ``, []step{
		{`{create: 'c', nope: 1}`, `!40415 Location40415`},
	}},
	{"option/images before and after", ``, []step{
		{`{create: 'c', changeStreamPreAndPostImages: {enabled: true}}`, `{}`},
		{`{listCollections: 1, filter: {name: 'c'}}`, `{cursor: {ns: '%db.$cmd.listCollections'}}`},
		{`{create: 'c'}`, `!48 NamespaceExists`},
		{`{collMod: 'c', changeStreamPreAndPostImages: {enabled: false}}`, `{}`},
		{`{collMod: 'c', changeStreamPreAndPostImages: {nope: false}}`, `!40415 Location40415`},
		{`{collMod: 'c', changeStreamPreAndPostImages: {enabled: 1}}`, `!14 TypeMismatch`},
	}},
	{"option/collMod of a collection that is not there", ``, []step{
		{`{collMod: 'c', changeStreamPreAndPostImages: {enabled: true}}`, `!26 NamespaceNotFound`},
	}},
	{"option/collMod of nothing", `[{_id: 1}]`, []step{
		{`{collMod: 'c'}`, `{}`},
	}},
	{"option/collMod of what is unknown", `[{_id: 1}]`, []step{
		{`{collMod: 'c', nope: 1}`, `!40415 Location40415`},
	}},
}

var collectionValidators = []script{
	{"validator/refuses", ``, []step{
		{`{create: 'c', validator: {a: {$gt: 0}}}`, `{}`},
		{`{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 0}, {_id: 3, a: 2}]}`,
			`{n: 1, writeErrors: [{index: 1, code: 121, errmsg: 'Document failed validation'}]}`},
		{`{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: -1}}}]}`,
			`{n: 0, writeErrors: [{code: 121}], nModified: 0}`},
		{`{find: 'c'}`, `{cursor: {firstBatch: [{_id: 1, a: 1}]}}`},
	}},
	{"validator/by a schema", ``, []step{
		{`{create: 'c', validator: {$jsonSchema: {required: ['name'],
			properties: {name: {bsonType: 'string'}}}}}`, `{}`},
		{`{insert: 'c', documents: [{_id: 1, name: 'x'}]}`, `{n: 1}`},
		{`{insert: 'c', documents: [{_id: 2, name: 5}]}`,
			`{n: 0, writeErrors: [{index: 0, code: 121}]}`},
		{`{findAndModify: 'c', query: {_id: 1}, update: {$unset: {name: 1}}}`,
			`!121 DocumentValidationFailure`},
	}},
	{"validator/is passed by", ``, []step{
		{`{create: 'c', validator: {a: 1}}`, `{}`},
		{`{insert: 'c', documents: [{_id: 1}], bypassDocumentValidation: true}`, `{n: 1}`},
	}},
	{"validator/by collMod", `[{_id: 1}]`, []step{
		{`{collMod: 'c', validator: {a: 1}}`, `{}`},
		{`{insert: 'c', documents: [{_id: 2}]}`, `{n: 0, writeErrors: [{index: 0, code: 121}]}`},
		{`{collMod: 'c', validator: {a: 1}, validationAction: 'warn'}`, `{}`},
		{`{insert: 'c', documents: [{_id: 2}]}`, `{n: 1}`},
	}},
}

var collectionViews = []script{
	{"view/reads through its pipeline", `[{_id: 1, a: 1}, {_id: 2, a: 2}]`, []step{
		{`{create: 'v', viewOn: 'c', pipeline: [{$match: {a: 2}}]}`, `{}`},
		{`{find: 'v'}`, `{cursor: {firstBatch: [{_id: 2, a: 2}]}}`},
		{`{aggregate: 'v', pipeline: [{$project: {a: 1, _id: 0}}], cursor: {}}`,
			`{cursor: {firstBatch: [{a: 2}]}}`},
		{`{count: 'v'}`, `{ok: 1, n: 1}`},
	}},
	{"view/is not written to", `[{_id: 1}]`, []step{
		{`{create: 'v', viewOn: 'c', pipeline: []}`, `{}`},
		{`{insert: 'v', documents: [{_id: 2}]}`, `{n: 0, writeErrors: [{index: 0, code: 166}]}`},
	}},
}

var collectionCapped = []script{
	{"capped/keeps the last", ``, []step{
		{`{create: 'c', capped: true, size: 100000, max: 2}`, `{}`},
		{`{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}`, `{n: 3}`},
		{`{find: 'c', sort: {_id: 1}}`, `{cursor: {firstBatch: [{_id: 2}, {_id: 3}]}}`},
	}},
	{"capped/over one that is not", `[{_id: 1}]`, []step{
		{`{create: 'c', capped: true, size: 4096}`, `!48 NamespaceExists`},
	}},
	{"capped/without a size", ``, []step{
		{`{create: 'c', capped: true}`, `!72 InvalidOptions`},
	}},
}
