package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/load"
	"github.com/fwgen/fwgen/internal/model"
	"github.com/fwgen/fwgen/internal/resolve"
)

// TestABugIsSaidToBeOne gives the generator a model that does not fit the code, as a mistake of
// fwgen's would. The emitted file is type-checked, the bug is said, and nothing is written.
func TestABugIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	m := newModule(t, nil)
	writeFile(t, filepath.Join(m.dir, "orders.go"), []byte(`package orders

import "context"

type Order struct{}

//fw:changestream collection=orders
type Handler struct{}

func (*Handler) OnInsert(context.Context, *Order) error { return nil }
`))
	prog, err := load.Scan(load.Config{Dir: m.dir, Env: m.env}, ".")
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Types(); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	p := newPass(&invocation{Process: Process{
		Dir: m.dir, Stdout: &bytes.Buffer{}, Stderr: &stderr,
	}}, prog, nil)
	p.prog.Packages = prog.Packages
	understood, _ := resolve.Package(prog, prog.Packages[0])
	understood.Files[0].Handlers[0].Update = &model.Method{Name: "OnNothing"}
	p.render(prog.Packages[0], understood, understood.Files[0])
	if err := p.plan(); err != nil {
		t.Fatal(err)
	}
	code, err := p.write(nil)
	if err != nil || code != exitFailure {
		t.Errorf("the exit code is %d, %v", code, err)
	}
	for _, want := range []string{
		"fw_gen.go:", "a bug in fwgen", "h.OnNothing undefined", "[FW9001]", "return h.OnNothing(",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%q is missing in\n%s", want, stderr.String())
		}
	}
	if _, err := os.Stat(filepath.Join(m.dir, load.Output)); err == nil {
		t.Error("the file was written")
	}
}
