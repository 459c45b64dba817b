// Command lines compares what a user writes with fwgen and without: it counts the lines of two
// programs, and runs them to see that they do the same. Each handles an order, keeps one that fails
// as a dead letter, stops, and goes on with what arrived meanwhile.
//
//	go run ./examples/lines
//
// needs Go and nothing else: it starts a MongoDB inside its process, which is a test double, and the
// programs are told where it is. With MONGODB_URI they run on that.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/runtime/fwtest"
)

const (
	limit = 25 * time.Second // for a program, without building it
	where = "github.com/fwgen/fwgen/examples/lines/"
)

// subjects are the programs, with the collection that each keeps its dead letters in.
var subjects = []subject{{"withfwgen", "_fw_dlq"}, {"withdriver", "dead_letters"}}

type subject struct{ name, letters string }

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := compare(ctx)
	stop()
	if err != nil {
		log.Fatal("lines: ", err)
	}
	fmt.Println("\nBoth did the same.")
}

func compare(ctx context.Context) error {
	uri := os.Getenv("MONGODB_URI")
	if uri == "" {
		server := fwtest.Start()
		defer server.Close()
		uri = server.URI()
		fmt.Println("MONGODB_URI is not set, so both run on a MongoDB inside this process, " +
			"a test double:\n" + uri)
	}
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return err
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(ctx)) }()
	bin, err := os.MkdirTemp("", "fwgen-lines-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	for _, s := range subjects {
		if err := s.build(ctx, bin); err != nil {
			return err
		}
		db := client.Database("fw_lines_" + strings.ToLower(rand.Text()[:8]))
		err := s.play(ctx, &program{
			env:  append(os.Environ(), "MONGODB_URI="+uri, "DATABASE="+db.Name()),
			path: filepath.Join(bin, s.name),
		}, db)
		if err := errors.Join(err, db.Drop(context.WithoutCancel(ctx))); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// build builds the program, and tells how long it is.
func (s subject) build(ctx context.Context, bin string) error {
	dir, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", where+s.name).Output()
	if err != nil {
		return fmt.Errorf("find %s: %w", s.name, err)
	}
	n, err := count(strings.TrimSpace(string(dir)))
	if err != nil {
		return err
	}
	fmt.Printf("\n%s, %d lines of code\n", s.name, n)
	said, err := exec.CommandContext(ctx, "go", "build", "-o", bin+"/", where+s.name).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build %s: %w\n%s", s.name, err, said)
	}
	return nil
}
