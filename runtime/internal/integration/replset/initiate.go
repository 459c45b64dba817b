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
		hosts := make([]string, len(s.Nodes))
		for i, n := range s.Nodes {
			hosts[i] = n.Addr
		}
		if err := replSetInitiate(ctx, s.Nodes[0].Addr, hosts); err != nil {
			return fmt.Errorf("initiate replica set: %w", err)
		}
	}
	primary, err := s.AwaitReady(ctx)
	if err != nil || !s.opts.Auth {
		return err
	}
	if err := direct(ctx, primary.Addr, createAdmin); err != nil {
		return fmt.Errorf("create root user: %w", err)
	}
	return nil
}

// InitiateRemote makes a replica set of one server that somebody else has started, which
// answers at addr and calls itself host, and waits until it takes writes.
func InitiateRemote(ctx context.Context, addr, host string) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := replSetInitiate(ctx, addr, []string{host}); err != nil {
		return fmt.Errorf("initiate replica set: %w", err)
	}
	return poll(ctx, func() error {
		if role, err := roleOf(ctx, addr); err != nil || role != Primary {
			return errors.Join(errors.New("the node is not primary"), err)
		}
		return nil
	})
}

// replSetInitiate sends the command to the node at addr.
func replSetInitiate(ctx context.Context, addr string, hosts []string) error {
	members := bson.A{}
	for i, host := range hosts {
		members = append(members, bson.D{{Key: "_id", Value: i}, {Key: "host", Value: host}})
	}
	settings := bson.D{}
	if len(hosts) > 1 {
		settings = bson.D{
			{Key: "electionTimeoutMillis", Value: electionTimeout.Milliseconds()},
			{Key: "heartbeatIntervalMillis", Value: 500},
		}
	}
	return direct(ctx, addr, func(ctx context.Context, client *mongo.Client) error {
		return client.Database("admin").RunCommand(ctx, bson.D{{
			Key: "replSetInitiate",
			Value: bson.D{
				{Key: "_id", Value: Name},
				{Key: "members", Value: members},
				{Key: "settings", Value: settings},
			},
		}}).Err()
	})
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
func (s *Set) AwaitReady(ctx context.Context) (primary *Node, err error) {
	err = poll(ctx, func() (waiting error) {
		primary, waiting = s.survey(ctx)
		return waiting
	})
	return primary, err
}

// poll repeats ask until it returns nil.
func poll(ctx context.Context, ask func() error) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		waiting := ask()
		if waiting == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("await replica set: %w: %w", context.Cause(ctx), waiting)
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

// Role asks one node.
func (s *Set) Role(ctx context.Context, n *Node) (Role, error) { return roleOf(ctx, n.Addr) }

// roleOf sends hello, which needs no credentials.
func roleOf(ctx context.Context, addr string) (Role, error) {
	var answer struct {
		Writable  bool `bson:"isWritablePrimary"`
		Secondary bool `bson:"secondary"`
	}
	err := direct(ctx, addr, func(ctx context.Context, client *mongo.Client) error {
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

// direct runs do with a client for the node at addr that presents no credentials.
func direct(ctx context.Context, addr string,
	do func(context.Context, *mongo.Client) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	client, err := mongo.Connect(options.Client().
		ApplyURI("mongodb://" + addr + "/?directConnection=true").
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
