package memongo

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

func sessionCommands() []*command {
	return []*command{
		{name: "startSession", run: startSession},
		{name: "refreshSessions", run: refreshSessions},
		{name: "endSessions", run: endSessions},
		{name: "killSessions", run: killSessions},
		{name: "killAllSessions", run: killAllSessions},
		{name: "commitTransaction", fields: "recoveryToken", traits: writes | transactional | adminOnly,
			run: commitTransaction},
		{name: "abortTransaction", fields: "recoveryToken", traits: writes | transactional | adminOnly,
			run: abortTransaction},
	}
}

func startSession(r *request) (bson.D, error) {
	id := uuid()
	r.server.sessions.get(bson.D{{Key: "id", Value: id}})
	return bson.D{
		{Key: "id", Value: bson.D{{Key: "id", Value: id}}},
		{Key: "timeoutMinutes", Value: int32(sessionMinutes)},
	}, nil
}

func refreshSessions(r *request) (bson.D, error) {
	for _, lsid := range r.args.documents(r.command.name) {
		r.server.sessions.get(lsid)
	}
	return bson.D{}, nil
}

func endSessions(r *request) (bson.D, error) {
	for _, lsid := range r.args.documents(r.command.name) {
		if id := value.Lookup(lsid, "id"); value.TypeName(id) != "binData" {
			r.args.wrongType("endSessionsFromClient.id", id, "binData")
			return nil, r.args.failed()
		}
		r.server.sessions.forget(lsid)
	}
	return bson.D{}, nil
}

func killSessions(r *request) (bson.D, error) {
	list := r.args.documents(r.command.name)
	if len(list) == 0 && r.args.failed() == nil {
		return killAllSessions(r)
	}
	for _, lsid := range list {
		if found := r.server.sessions.find(lsid); found != nil {
			found.end(errSessionKilled())
			r.server.cursors.killOf(found)
		}
	}
	return bson.D{}, nil
}

func killAllSessions(r *request) (bson.D, error) {
	for _, found := range r.server.sessions.all() {
		if found != r.session {
			found.end(errSessionKilled())
			r.server.cursors.killOf(found)
		}
	}
	return bson.D{}, nil
}
