package memongo

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

func replicationCommands() []*command {
	return []*command{
		{name: "replSetGetStatus", traits: adminOnly, run: replSetGetStatus},
		{name: "replSetGetConfig", traits: adminOnly, run: replSetGetConfig},
		{name: "replSetStepDown", fields: "secondaryCatchUpPeriodSecs force", traits: adminOnly,
			run: replSetStepDown},
		{name: "replSetStepUp", fields: "skipDryRun", traits: adminOnly, run: replSetStepUp},
		{name: "replSetFreeze", traits: adminOnly, run: replSetFreeze},
	}
}

func replSetGetStatus(r *request) (bson.D, error) {
	now := r.server.topology.now()
	state, name := int32(2), "SECONDARY"
	if now.primary {
		state, name = 1, "PRIMARY"
	}
	return bson.D{
		{Key: "set", Value: SetName},
		{Key: "date", Value: r.now},
		{Key: "myState", Value: state},
		{Key: "term", Value: int64(now.election)},
		{Key: "members", Value: bson.A{bson.D{
			{Key: "_id", Value: int32(0)},
			{Key: "name", Value: r.conn.address},
			{Key: "health", Value: 1.0},
			{Key: "state", Value: state},
			{Key: "stateStr", Value: name},
			{Key: "self", Value: true},
		}}},
	}, nil
}

func replSetGetConfig(r *request) (bson.D, error) {
	return bson.D{{Key: "config", Value: bson.D{
		{Key: "_id", Value: SetName},
		{Key: "version", Value: int32(1)},
		{Key: "term", Value: int32(1)},
		{Key: "members", Value: bson.A{bson.D{
			{Key: "_id", Value: int32(0)},
			{Key: "host", Value: r.conn.address},
		}}},
		{Key: "settings", Value: bson.D{{Key: "replicaSetId", Value: r.server.identity}}},
	}}}, nil
}

func replSetStepDown(r *request) (bson.D, error) {
	seconds, ok := r.args.int(r.command.name)
	if !ok || seconds <= 0 {
		return nil, mongoerr.New(mongoerr.BadValue, "stepdown period must be a positive integer")
	}
	force := r.args.flag("force")
	if !force && r.args.failed() == nil {
		// As a set of one: there is no secondary that could catch up.
		return nil, mongoerr.New(mongoerr.ExceededTimeLimit,
			"No electable secondaries caught up as of %v", r.now)
	}
	return bson.D{}, r.server.StepDown(time.Duration(seconds) * time.Second)
}

func replSetStepUp(r *request) (bson.D, error) {
	r.server.stepUp()
	return bson.D{}, nil
}

// replSetFreeze of zero seconds ends a step-down, as it does in a set of one.
func replSetFreeze(r *request) (bson.D, error) {
	seconds, _ := r.args.int(r.command.name)
	if seconds != 0 {
		return nil, mongoerr.Unsupported("replSetFreeze for a time")
	}
	r.server.stepUp()
	return bson.D{}, nil
}

// StepDown makes the server a secondary for a time, after which it elects itself again. Writes
// that wait are interrupted, open transactions aborted; cursors live on. It is an error while the
// server is a secondary.
func (s *Server) StepDown(d time.Duration) error {
	if err := s.topology.stepDown(); err != nil {
		return err
	}
	s.sessions.interruptTransactions()
	s.work.Go(func() {
		now := s.topology.now()
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			s.stepUp()
		case <-now.changed: // elected before
		case <-s.life.Done():
		}
	})
	return nil
}

// stepUp elects the server, which tells so in the oplog.
func (s *Server) stepUp() {
	if s.topology.stepUp() {
		s.engine.Noop("new primary")
	}
}
