package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// TestThePagesProgramsDoTheSame runs the two programs of examples/lines, whose lines docs/lines.md
// compares: an order is handled, another becomes a dead letter, the position is found again after a
// restart, and the stop is clean.
func TestThePagesProgramsDoTheSame(t *testing.T) {
	t.Parallel()
	for program, letters := range map[string]string{
		"withfwgen": "_fw_dlq", "withdriver": "dead_letters",
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t, mongotest.Needs{})
			db := d.Database(t)
			binary := filepath.Join(t.TempDir(), program)
			build := exec.Command("go", "build", "-o", binary, "./examples/lines/"+program)
			build.Dir = repository(t)
			if said, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			start := func() *process {
				cmd := exec.Command(binary)
				cmd.Env = append(os.Environ(), "MONGODB_URI="+d.URI, "DATABASE="+db.Name())
				return launch(t, program, cmd)
			}
			insert := func(id string, total int) {
				_, err := db.Collection("orders").InsertOne(t.Context(),
					bson.D{{Key: "_id", Value: id}, {Key: "total", Value: total}})
				must(t, err)
			}
			handled := func(p *process, id string) error {
				if !strings.Contains(p.output.String(), "handled "+id) {
					return fmt.Errorf("%s is not handled yet", id)
				}
				return nil
			}

			first, n := start(), 0
			eventually(t, patience, func() error { // the stream begins with what is new
				n++
				insert(fmt.Sprintf("first%d", n), 1)
				return handled(first, "first")
			})
			insert("bad", -1)
			eventually(t, patience, atLeast("dead letters", 1, func() int {
				count, err := db.Collection(letters).CountDocuments(t.Context(), bson.D{})
				must(t, err)
				return int(count)
			}))
			first.signal(t, syscall.SIGTERM)
			wantExit(t, first, 0)

			insert("meanwhile", 1)
			second := start()
			eventually(t, patience, func() error { return handled(second, "meanwhile") })
			if strings.Contains(second.output.String(), "handled first1\n") {
				t.Error("the second process begins anew")
			}
			second.signal(t, syscall.SIGTERM)
			wantExit(t, second, 0)
		})
	}
}
