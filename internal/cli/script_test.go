package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes fwgen a command that scripts can run in a process of its own. It is patient, however
// slow the machine is, unless PATIENCE says otherwise.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fwgen": func() {
		dir, err := os.Getwd()
		if err != nil {
			panic(err)
		}
		patience, err := time.ParseDuration(cmp.Or(os.Getenv("PATIENCE"), "-1s"))
		if err != nil {
			panic(err)
		}
		os.Exit(Main(os.Args[1:], Process{
			Dir: dir, Stdout: os.Stdout, Stderr: os.Stderr, Patience: patience,
		}))
	}})
}

// TestScripts runs the command as users do. Each script has a module example.com/shop, with this
// repository's requirements, unless it brings its own go.mod.
func TestScripts(t *testing.T) {
	t.Parallel()
	tool := plainTool(t.TempDir()) // outlives the scripts, which are subtests
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: false,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
				env.Setenv(name, goEnv(name))
			}
			env.Setenv("GOPROXY", "off")
			env.Setenv("TOOL", tool)
			env.Setenv("GOFLAGS", "")
			if _, err := os.Stat(filepath.Join(env.WorkDir, "go.mod")); err == nil {
				return nil
			}
			writeModule(t, env.WorkDir, "example.com/shop")
			return nil
		},
	})
}

// goEnv asks the go command, since a script has a home directory of its own.
func goEnv(name string) string {
	return strings.TrimSpace(goOutput("env", name))
}
