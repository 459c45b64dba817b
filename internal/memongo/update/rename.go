package update

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// addRename reads one field of $rename. The new path has the operator, the old one is taken.
func (b *builder) addRename(field bson.E) error {
	from, err := parsePath(field.Key)
	if err != nil {
		return err
	}
	if err := b.add(from, &leaf{reserved: true}); err != nil {
		return err
	}
	shown := field.Key + ": " + value.Show(field.Value)
	text, ok := field.Value.(string)
	if !ok {
		return mongoerr.New(mongoerr.BadValue,
			"The 'to' field for $rename must be a string: %s", shown)
	}
	if strings.Contains(text, "\x00") {
		return mongoerr.New(mongoerr.BadValue,
			"The 'to' field for $rename cannot contain an embedded null byte")
	}
	to, err := parsePath(text)
	if err != nil {
		return err
	}
	if err := checkRename(from, to, shown); err != nil {
		return err
	}
	return b.add(to, &leaf{rename: from})
}

func checkRename(from, to path, shown string) error {
	text := ""
	switch {
	case from.startsWith(to) && to.startsWith(from):
		text = "The source and target field for $rename must differ: %s"
	case from.startsWith(to), to.startsWith(from):
		text = "The source and target field for $rename must not be on the same path: %s"
	case from.dynamic():
		return mongoerr.New(mongoerr.BadValue,
			"The source field for $rename may not be dynamic: %s", from)
	case to.dynamic():
		return mongoerr.New(mongoerr.BadValue,
			"The destination field for $rename may not be dynamic: %s", to)
	default:
		return nil
	}
	return mongoerr.New(mongoerr.BadValue, text, shown)
}

// rename moves a value from its path to this one.
func (a *application) rename(l *leaf, to place) error {
	from, found, err := a.find(l.rename)
	if err != nil || !found {
		return err
	}
	if err := a.checkNoElement("source", from, from.path); err != nil {
		return err
	}
	if err := a.checkNoElement("destination", to, to.full()); err != nil {
		return err
	}
	v := from.element.close()
	if len(to.missing) > 0 {
		err = a.makePath(to, v)
	} else {
		err = a.put(to, to.element.close(), v, changed)
	}
	if err != nil {
		return err
	}
	return a.put(from, v, nil, removed)
}

// find follows a path. It is an error if the path could not be there.
func (a *application) find(p path) (at place, found bool, err error) {
	at = place{element: a.root}
	for i, part := range p {
		if i > 0 && !at.element.accepts(part) {
			return at, false, mongoerr.New(mongoerr.PathNotViable,
				"cannot use the part (%s of %s) to traverse the element (%s)",
				p[i-1], p, shown(at))
		}
		if at = at.enter(part); len(at.missing) > 0 {
			return at, false, nil
		}
	}
	return at, true, nil
}

// checkNoElement refuses to move from or into an array, however deep.
func (a *application) checkNoElement(what string, at place, p path) error {
	above := at.above
	if len(at.missing) > 0 {
		above = append(above[:len(above):len(above)], at.element)
	}
	for i := len(above) - 1; i >= 0; i-- {
		if above[i].form == array {
			return mongoerr.New(mongoerr.BadValue, "The %s field cannot be an array element, "+
				"'%s' in doc with %s has an array field called '%s'",
				what, p, a.id("", ""), above[i].name)
		}
	}
	return nil
}
