package update

import "github.com/fwgen/fwgen/internal/memongo/mongoerr"

// checkUpdated says whether a value may be what it has become.
func (a *application) checkUpdated(at place, how effect) error {
	if at.path[0] == "_id" {
		return mongoerr.New(mongoerr.ImmutableField, "Performing an update on the path '%s' "+
			"would modify the immutable field '_id'", at.path)
	}
	if how == removed || len(at.path) > 1 || a.Insert {
		return nil
	}
	return checkName(a.root, at.path[0])
}

// checkCreated says whether what was missing may be where it is now.
func (a *application) checkCreated(at place) error {
	if len(at.path) > 0 && at.path[0] == "_id" {
		return mongoerr.New(mongoerr.ImmutableField, "Updating the path '_id' to %s would "+
			"modify the immutable field '_id'", a.id("", ""))
	}
	if len(at.path) > 0 || a.Insert {
		return nil
	}
	return checkName(a.root, at.missing[0])
}
