package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// look is the time between two looks at whether something has happened.
const look = 20 * time.Millisecond

// program is one of the two, which is started more than once.
type program struct {
	path string
	env  []string
	cmd  *exec.Cmd // the latest start

	mu   sync.Mutex // guards said
	said bytes.Buffer
}

// play lets a program handle orders, through a stop and another start.
func (s subject) play(ctx context.Context, p *program, db *mongo.Database) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s", limit))
	defer cancel()
	if err := p.start(ctx); err != nil {
		return err
	}
	n := 0
	err := await(ctx, func() (bool, error) { // a new stream begins with what is new
		n++
		return p.has("handled first"), order(ctx, db, fmt.Sprint("first", n), 1)
	})
	if err != nil {
		return err
	}
	if err := order(ctx, db, "bad", -1); err != nil {
		return err
	}
	err = await(ctx, func() (bool, error) {
		n, err := db.Collection(s.letters).CountDocuments(ctx, bson.D{})
		return n == 1, err
	})
	if err != nil {
		return err
	}
	fmt.Println("  the order that fails is a dead letter")
	if err := p.stop(); err != nil {
		return err
	}
	fmt.Println("  stopped; another order arrives; started again")
	if err := order(ctx, db, "meanwhile", 1); err != nil {
		return err
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	err = await(ctx, func() (bool, error) { return p.has("handled meanwhile"), nil })
	if err != nil {
		return err
	}
	return p.stop()
}

func order(ctx context.Context, db *mongo.Database, id string, total int) error {
	_, err := db.Collection("orders").InsertOne(ctx,
		bson.D{{Key: "_id", Value: id}, {Key: "total", Value: total}})
	return err
}

func (p *program) start(ctx context.Context) error {
	p.cmd = exec.CommandContext(ctx, p.path) // killed when ctx ends
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = p.env, p, p
	return p.cmd.Start()
}

// stop asks the program to stop, as those who deploy it do.
func (p *program) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%w; it wrote:\n%s", err, p.text())
	}
	return nil
}

// Write takes what the program writes, and shows what it handled.
func (p *program) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("handled ")) {
			fmt.Printf("  %s", line)
		}
	}
	return p.said.Write(text)
}

func (p *program) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

func (p *program) has(part string) bool { return strings.Contains(p.text(), part) }

// await waits until check is true.
func await(ctx context.Context, check func() (bool, error)) error {
	next := time.NewTicker(look)
	defer next.Stop()
	for {
		done, err := check()
		if done || err != nil {
			return err
		}
		select {
		case <-next.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
