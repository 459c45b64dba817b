package storage

import (
	"strings"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// Namespace names a collection. Where Collection is empty it stands for the database.
type Namespace struct {
	DB, Collection string
}

// String returns the name in the server's form, db.collection.
func (n Namespace) String() string {
	if n.Collection == "" {
		return n.DB
	}
	return n.DB + "." + n.Collection
}

// The longest names that a server takes.
const (
	longestDatabase  = 63
	longestNamespace = 255
)

// CheckNamespace refuses names that no command may have: 73.
func CheckNamespace(ns Namespace) error {
	invalid := func(format string, args ...any) error {
		return mongoerr.New(mongoerr.InvalidNamespace, format, args...)
	}
	switch full := ns.DB + "." + ns.Collection; {
	case strings.Contains(full, "\x00"):
		return invalid("namespaces cannot have embedded null characters")
	case strings.Contains(ns.DB, "."):
		return invalid("'.' is an invalid character in the database name: %s", ns.DB)
	case ns.DB == "" || len(ns.DB) > longestDatabase || ns.Collection == "":
		return invalid("Invalid namespace specified '%s'", full)
	case strings.ContainsAny(ns.DB, "/\\ \"$"):
		return invalid("Invalid namespace: %s", full)
	}
	return nil
}

// CheckNewCollection refuses names that a collection may not get: 73. Commands that insert look
// at the name before the documents.
func CheckNewCollection(ns Namespace) error {
	if err := CheckNamespace(ns); err != nil {
		return err
	}
	invalid := func(format string, args ...any) error {
		return mongoerr.New(mongoerr.InvalidNamespace, format, args...)
	}
	switch name := ns.Collection; {
	case len(ns.String()) > longestNamespace:
		return invalid("Fully qualified namespace is too long. Namespace: %s Max: %d",
			ns, longestNamespace)
	case strings.Contains(name, "$"):
		return invalid("Invalid collection name: %s", name)
	case strings.HasPrefix(name, "."):
		return invalid("Collection names cannot start with '.': %s", name)
	case name == "system.views" || name == "system.profile":
		return invalid("cannot write to %s", ns)
	case strings.HasPrefix(name, "system."):
		return invalid("Invalid system namespace: %s", ns)
	}
	return nil
}
