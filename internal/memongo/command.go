package memongo

import (
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// command is what a server knows how to do.
type command struct {
	name   string
	fields string   // the fields that it takes beside the generic ones, by spaces
	takes  []string // the same, apart
	run    func(*request) (bson.D, error)
	traits trait
}

// anyField as a command's fields says that it takes whatever its own code knows.
const anyField = "*"

// trait says where a command may be used.
type trait int

const (
	writes        trait = 1 << iota // needs the primary, takes a write concern
	reads                           // needs the primary, or a client that accepts a secondary
	transactional                   // may be part of a transaction
	retryable                       // may carry a txnNumber of its own
	adminOnly                       // on the admin database alone
)

func (c *command) is(t trait) bool { return c.traits&t != 0 }

// argsName is how errors name the command before its fields.
func (c *command) argsName() string {
	if c.name == "find" {
		return "FindCommandRequest"
	}
	return c.name
}

// knows reports whether the command takes a field.
func (c *command) knows(field string) bool {
	return field == c.name || isGeneric(field) || slices.Contains(c.takes, field)
}

// commands returns all commands by every name that they answer to.
func commands() map[string]*command {
	all := make(map[string]*command)
	for _, group := range [][]*command{
		helloCommands(), infoCommands(), sessionCommands(), failPointCommands(),
		readCommands(), writeCommands(), collectionCommands(), replicationCommands(),
	} {
		for _, c := range group {
			c.takes = strings.Fields(c.fields)
			all[c.name] = c
		}
	}
	return all
}

// isGeneric reports whether every command takes a field.
func isGeneric(field string) bool {
	switch field {
	case "$db", "lsid", "txnNumber", "autocommit", "startTransaction", "$clusterTime",
		"$readPreference", "maxTimeMS", "readConcern", "writeConcern", "comment", "apiVersion",
		"apiStrict", "apiDeprecationErrors", "mayBypassWriteBlocking":
		return true
	}
	return false
}
