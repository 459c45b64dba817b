package replset

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// electionTimeout is a fifth of the server's default, so that tests of a fail-over take
// seconds.
const electionTimeout = 2 * time.Second

// readyTimeout bounds the way from running processes to a complete replica set.
const readyTimeout = 90 * time.Second

// initiate makes a replica set of the running nodes, waits for it and creates the root user.
func (s *Set) initiate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if !s.opts.Standalone {
		if err := s.direct(ctx, s.Nodes[0], s.replSetInitiate); err != nil {
			return fmt.Errorf("initiate replica set: %w", err)
		}
	}
	primary, err := s.AwaitReady(ctx)
	if err != nil || !s.opts.Auth {
		return err
	}
	if err := s.direct(ctx, primary, createAdmin); err != nil {
		return fmt.Errorf("create root user: %w", err)
	}
	return nil
}

func (s *Set) replSetInitiate(ctx context.Context, client *mongo.Client) error {
	members := bson.A{}
	for i, n := range s.Nodes {
		members = append(members, bson.D{{Key: "_id", Value: i}, {Key: "host", Value: n.Addr}})
	}
	settings := bson.D{}
	if len(s.Nodes) > 1 {
		settings = bson.D{
			{Key: "electionTimeoutMillis", Value: electionTimeout.Milliseconds()},
			{Key: "heartbeatIntervalMillis", Value: 500},
		}
	}
	return client.Database("admin").RunCommand(ctx, bson.D{{
		Key: "replSetInitiate",
		Value: bson.D{
			{Key: "_id", Value: Name},
			{Key: "members", Value: members},
			{Key: "settings", Value: settings},
		},
	}}).Err()
}

// createAdmin uses the exception that lets the first user be created from the same host.
func createAdmin(ctx context.Context, client *mongo.Client) error {
	return client.Database("admin").RunCommand(ctx, bson.D{
		{Key: "createUser", Value: AdminUser},
		{Key: "pwd", Value: AdminPassword},
		{Key: "roles", Value: bson.A{"root"}},
		{Key: "writeConcern", Value: bson.D{{Key: "w", Value: "majority"}}},
	}).Err()
}

// AwaitReady waits until one living node is a primary that takes writes and every other
// living node is a secondary. It returns the primary.
func (s *Set) AwaitReady(ctx context.Context) (*Node, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		primary, waiting := s.survey(ctx)
		if primary != nil && waiting == nil {
			return primary, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("await replica set: %w: %w", context.Cause(ctx), waiting)
		case <-tick.C:
		}
	}
}

// survey asks every living node what it is. The error names a node that is not ready.
func (s *Set) survey(ctx context.Context) (primary *Node, waiting error) {
	waiting = errors.New("no node is primary")
	for _, n := range s.Nodes {
		if n.Alive() && !n.isPaused() {
			role, err := s.Role(ctx, n)
			switch {
			case err != nil:
				return nil, fmt.Errorf("node %s: %w", n.Addr, err)
			case role == Primary:
				primary, waiting = n, nil
			case role != Secondary:
				return nil, fmt.Errorf("node %s is neither primary nor secondary", n.Addr)
			}
		}
	}
	return primary, waiting
}

// Role is what a node says of itself.
type Role int

// The roles that matter to a test. Other covers start-up, recovery and roll-back.
const (
	Other Role = iota
	Primary
	Secondary
)

// Role asks one node. The hello command needs no credentials.
func (s *Set) Role(ctx context.Context, n *Node) (Role, error) {
	var answer struct {
		Writable  bool `bson:"isWritablePrimary"`
		Secondary bool `bson:"secondary"`
	}
	err := s.direct(ctx, n, func(ctx context.Context, client *mongo.Client) error {
		hello := bson.D{{Key: "hello", Value: 1}}
		return client.Database("admin").RunCommand(ctx, hello).Decode(&answer)
	})
	switch {
	case err != nil:
		return Other, err
	case answer.Writable:
		return Primary, nil
	case answer.Secondary:
		return Secondary, nil
	}
	return Other, nil
}

// direct runs do with a client for one node that presents no credentials.
func (s *Set) direct(ctx context.Context, n *Node,
	do func(context.Context, *mongo.Client) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	client, err := mongo.Connect(options.Client().
		ApplyURI("mongodb://" + n.Addr + "/?directConnection=true").
		SetServerSelectionTimeout(5 * time.Second))
	if err != nil {
		return err
	}
	defer func() { _ = client.Disconnect(ctx) }()
	return do(ctx, client)
}

func (n *Node) isPaused() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.paused
}
