package replset

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Name is the name of every replica set that this package starts.
const Name = "fw"

// The user that exists with Options.Auth.
const (
	AdminUser     = "root"
	AdminPassword = "root"
)

// Set is a running deployment.
type Set struct {
	Nodes []*Node

	opts Options
}

// Start starts the servers and returns when a primary takes writes and, with three nodes, the
// other two are secondaries. After an error nothing is left running.
func Start(ctx context.Context, opts Options) (*Set, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	s := &Set{Nodes: make([]*Node, opts.Nodes), opts: opts}
	args, err := s.arguments()
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	for i := range s.Nodes {
		group.Go(func() (err error) {
			s.Nodes[i], err = newNode(ctx, &s.opts, NodeDir(opts.Dir, i), args)
			return err
		})
	}
	err = group.Wait()
	if err == nil {
		err = s.initiate(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Kill())
	}
	return s, nil
}

// NodeDir is the folder of the node with the given index below Options.Dir.
func NodeDir(dir string, index int) string {
	return filepath.Join(dir, "node"+strconv.Itoa(index))
}

// arguments returns what all nodes are started with.
func (s *Set) arguments() ([]string, error) {
	args := s.opts.Arguments()
	if !s.opts.Auth {
		return args, nil
	}
	key := filepath.Join(s.opts.Dir, "key")
	return append(args, "--auth", "--keyFile", key), writeKeyFile(key)
}

// writeKeyFile makes the secret by which the nodes of a set with authentication trust each
// other. The server refuses one that others can read.
func writeKeyFile(path string) error {
	secret := make([]byte, 96)
	_, _ = rand.Read(secret) // never fails
	text := base64.StdEncoding.EncodeToString(secret)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write key file: %w", err)
	}
	return nil
}

// URI returns the connection string of the whole deployment, with the root user's credentials
// where the server asks for some.
func (s *Set) URI() string {
	hosts := make([]string, len(s.Nodes))
	for i, n := range s.Nodes {
		hosts[i] = n.Addr
	}
	query := url.Values{}
	if s.opts.Standalone {
		query.Set("directConnection", "true")
	} else {
		query.Set("replicaSet", Name)
	}
	return s.uri(strings.Join(hosts, ","), query)
}

// NodeURI returns a connection string for one node, whatever its state.
func (s *Set) NodeURI(n *Node) string {
	return s.uri(n.Addr, url.Values{"directConnection": {"true"}})
}

func (s *Set) uri(hosts string, query url.Values) string {
	credentials := ""
	if s.opts.Auth {
		credentials = AdminUser + ":" + AdminPassword + "@"
		query.Set("authSource", "admin")
	}
	return "mongodb://" + credentials + hosts + "/?" + query.Encode()
}

// Kill ends all nodes at once. Their data stays.
func (s *Set) Kill() error {
	var errs []error
	for _, n := range s.Nodes {
		if n != nil {
			errs = append(errs, n.Kill())
		}
	}
	return errors.Join(errs...)
}
