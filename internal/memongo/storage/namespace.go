package storage

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
