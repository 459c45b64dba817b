package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func TestStartedServersOutliveTheCommandUntilStopped(t *testing.T) {
	binary, err := replset.FindBinary()
	if err != nil {
		t.Skip("needs a mongod: " + err.Error())
	}
	dir := filepath.Join(t.TempDir(), "servers")
	t.Cleanup(func() { _, _ = command(t, "stop", "--dir", dir) })

	said, err := command(t, "start", "--binary", binary, "--dir", dir)
	if err != nil || !strings.HasPrefix(said, "started a replica set of 1 node in ") {
		t.Fatalf("start: %q, %v", said, err)
	}
	uri := said[strings.Index(said, "mongodb://") : len(said)-1]
	ping(t, uri)

	again, err := command(t, "start", "--binary", binary, "--dir", dir)
	if err != nil || again != "already running in "+dir+": "+uri+"\n" {
		t.Errorf("start again: %q, %v", again, err)
	}
	if said, err := command(t, "stop", "--dir", dir); err != nil ||
		said != "stopped and deleted what ran in "+dir+"\n" {
		t.Errorf("stop: %q, %v", said, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is left: %v", err)
	}
	if said, err := command(t, "stop", "--dir", dir); err != nil ||
		said != "nothing runs in "+dir+"\n" {
		t.Errorf("stop again: %q, %v", said, err)
	}
}

func TestStartThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := command(t, "start", "--binary", "/no/such/mongod", "--dir", dir); err == nil {
		t.Error("no error")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestStartDoesNotTouchDataThatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "node0", "precious")
	if err := os.MkdirAll(precious, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := command(t, "start", "--binary", "/no/such/mongod", "--dir", dir); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestWrongArgumentsAreErrors(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"restart"},
		{"start"},
		{"stop"},
		{"stop", "--dir", "x", "y"},
		{"start", "--dir", t.TempDir(), "--binary", "mongod", "--nodes", "2"},
	} {
		if said, err := command(t, args...); err == nil {
			t.Errorf("%v: %q", args, said)
		}
	}
}

func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(context.Background(), args, &out)
	return out.String(), err
}

func ping(t *testing.T, uri string) {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Errorf("ping %s: %v", uri, err)
	}
}
