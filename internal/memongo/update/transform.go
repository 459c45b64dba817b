package update

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// entrySize is what an oplog entry has around a diff.
const entrySize = 15

// transform passes the document through the pipeline. What is written to the oplog is the
// difference, if that is smaller than the new document.
func (u *Update) transform(doc bson.D, c Context) (Result, error) {
	post, err := u.pass(doc, c)
	if err != nil {
		return Result{}, err
	}
	if value.Identical(doc, post) {
		return Result{Doc: doc}, nil
	}
	r, err := replaced(doc, post)
	if err != nil {
		return Result{}, err
	}
	diff := diffDocuments(doc, post)
	if value.Size(diff)+entrySize >= value.Size(post) {
		return r, nil
	}
	r.Kind, r.Logged = Updated, nil
	describeDiff(diff, "", &r.Desc)
	return r, nil
}

func (u *Update) pass(doc bson.D, c Context) (bson.D, error) {
	post, kept, err := u.pipeline.Each(doc, c.Vars)
	if err == nil && !kept {
		err = mongoerr.New(mongoerr.InternalError, "an update's pipeline dropped the document")
	}
	return post, err
}
