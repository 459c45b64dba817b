package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/layout/published"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
	"github.com/fwgen/fwgen/runtime/internal/integration/replset"
)

// block is a fenced block of the README, with the text between the one before and it.
type block struct{ before, language, text string }

// blocksOf returns the blocks of the README's section with a title.
func blocksOf(t *testing.T, title string) (blocks []block) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(repository(t), "README.md"))
	must(t, err)
	_, section, found := strings.Cut(string(readme), "\n## "+title+"\n")
	if !found {
		t.Fatalf("README.md has no section %q", title)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	parts := strings.Split(section, "```")
	for i := 1; i < len(parts); i += 2 {
		language, text, _ := strings.Cut(parts[i], "\n")
		blocks = append(blocks, block{parts[i-1], language, text})
	}
	return blocks
}

// commands returns the lines of a block of shell, without their comments.
func (b block) commands() (lines []string) {
	for line := range strings.Lines(b.text) {
		line, _, _ = strings.Cut(line, " #")
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Who runs the commands that are shown outside the tutorial.
var shownElsewhere = map[string]string{
	"go run ./examples/orders": "../../../examples/orders/main_test.go",

	"make demo":   "demo_test.go",
	"make test":   "../../../.ci/run",
	"make verify": "../../../.ci/run",
	"make help":   "tutorial_test.go",
	"go run github.com/fwgen/fwgen/cmd/fwgen@latest ./...": "tutorial_test.go",
}

func TestEveryOtherCommandOfTheReadmeIsRun(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for command, file := range shownElsewhere {
		left[command] = true
		text, err := os.ReadFile(file)
		must(t, err)
		words := strings.Fields(command)
		if !strings.Contains(string(text), words[len(words)-1]) {
			t.Errorf("%s does not run %q", file, command)
		}
	}
	for _, title := range []string{
		"Nothing but Go", "Two commands", "What your module inherits", "Working on fwgen",
	} {
		for _, b := range blocksOf(t, title) {
			for _, command := range b.commands() {
				if !left[command] {
					t.Errorf("who runs %q?", command)
				}
				delete(left, command)
			}
		}
	}
	for command := range left {
		t.Errorf("the README does not show %q any more", command)
	}
	help := exec.Command("make", "help")
	help.Dir, help.Env = repository(t), withoutMake(os.Environ())
	if out, err := help.CombinedOutput(); err != nil || !strings.Contains(string(out), "demo ") {
		t.Errorf("make help: %v\n%s", err, out)
	}
}

// follower does what the tutorial says, as a user would: in a directory of their own, with the
// module as it would be published, and with a server from a clone of the repository.
type follower struct {
	*testing.T
	env     []string
	dir     string // the shell is here
	clone   string // of the repository; "" where no server can be started from it
	uri     string
	program *process // that handles events
}

// The README's tutorial, from an empty module to a handled event, as it stands there.
func TestReadmeTutorial(t *testing.T) {
	t.Parallel()
	m, err := published.Publish(repository(t), t.TempDir())
	must(t, err)
	f := &follower{T: t, env: append(os.Environ(), m.Env...), dir: t.TempDir()}
	f.takeServers()
	blocks := append(blocksOf(t, "Five minutes to a handled event"),
		blocksOf(t, "Testing your handlers")...)
	for _, b := range blocks {
		switch b.language {
		case "sh":
			for _, command := range b.commands() {
				f.do(command)
			}
		case "go":
			f.write(b)
		case "text":
			f.expectLines(b.text)
		default:
			t.Errorf("a block in %q: what is to be done with it?", b.language)
		}
	}
	// The way around the tool line gives the same file.
	generated := filepath.Join(f.dir, "orders", "fw_gen.go")
	before, err := os.ReadFile(generated)
	must(t, err)
	must(t, os.Remove(generated))
	f.shell("go run github.com/fwgen/fwgen/cmd/fwgen@latest ./...")
	after, err := os.ReadFile(generated)
	if must(t, err); string(before) != string(after) {
		t.Errorf("the tool wrote\n%s\nand go run\n%s", before, after)
	}
}

// takeServers makes the clone, or starts servers otherwise where there is no mongod to start.
func (f *follower) takeServers() {
	f.Helper()
	binary, err := replset.FindBinary()
	if err != nil {
		f.uri = mongotest.Start(f, mongotest.Needs{Nodes: 3, Own: true}).URI
		return
	}
	f.clone = f.TempDir()
	copyRepository(f, f.clone)
	cache := filepath.Join(f.clone, ".cache", "mongod")
	must(f, os.MkdirAll(cache, 0o700))
	if version := filepath.Dir(binary); strings.HasPrefix(version, repository(f)) {
		must(f, os.Symlink(version, filepath.Join(cache, filepath.Base(version))))
	}
	f.Cleanup(func() { _, _ = f.run(f.clone, os.Environ(), "scripts/mongod stop") })
}

// copyRepository copies what a clone would have, and what is not committed yet.
func copyRepository(t testing.TB, to string) {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = repository(t)
	names, err := list.Output()
	must(t, err)
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		from := filepath.Join(list.Dir, name)
		info, err := os.Stat(from)
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		must(t, err)
		text, err := os.ReadFile(from)
		must(t, err)
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(to, name), text, info.Mode()))
	}
}

// do does one command of the tutorial.
func (f *follower) do(command string) {
	f.Helper()
	f.Log("$ " + command)
	switch {
	case command == "scripts/mongod stop":
		f.stopProgram()
		f.servers(command)
	case strings.HasPrefix(command, "scripts/mongod "):
		said := f.servers(command)
		if uri := regexp.MustCompile(`mongodb://\S+`).FindString(said); uri != "" {
			f.uri = uri
		}
	case command == "export MONGODB_URI='mongodb://…'":
		f.env = append(f.env, "MONGODB_URI="+f.uri)
	case command == "go generate ./...":
		if said, err := f.run(f.dir, f.env, "go build ./..."); err == nil ||
			!strings.Contains(said, "FWStream") {
			f.Errorf("before the code is generated the compiler says: %v\n%s", err, said)
		}
		f.shell(command)
	case command == "go run .":
		f.startProgram()
	default:
		f.shell(command)
	}
}

// servers runs a command in the clone.
func (f *follower) servers(command string) string {
	f.Helper()
	if f.clone == "" {
		return ""
	}
	said, err := f.run(f.clone, os.Environ(), command)
	if err != nil {
		f.Fatalf("%s: %v\n%s", command, err, said)
	}
	return said
}

// shell runs a command where the one before has ended.
func (f *follower) shell(command string) {
	f.Helper()
	where := filepath.Join(f.TempDir(), "where")
	said, err := f.run(f.dir, f.env, "set -e\n"+command+"\npwd >'"+where+"'")
	if err != nil {
		f.Fatalf("%s: %v\n%s", command, err, said)
	}
	dir, err := os.ReadFile(where)
	must(f, err)
	f.dir = strings.TrimSpace(string(dir))
}

func (f *follower) run(dir string, env []string, command string) (string, error) {
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	said, err := cmd.CombinedOutput()
	return string(said), err
}

var fileName = regexp.MustCompile("`([a-z_/]+\\.go)`")

// write writes the file that the text before the block names.
func (f *follower) write(b block) {
	f.Helper()
	match := fileName.FindStringSubmatch(b.before)
	if match == nil {
		f.Fatalf("what is the name of this file?\n%s", b.text)
	}
	must(f, os.WriteFile(filepath.Join(f.dir, match[1]), []byte(b.text), 0o600))
	if said, err := f.run(f.dir, f.env, "gofmt -l "+match[1]); err != nil || said != "" {
		f.Errorf("%s is not formatted (%v)", match[1], err)
	}
}

// startProgram runs the user's program, until it reads its stream.
func (f *follower) startProgram() {
	f.Helper()
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = f.dir, f.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	f.program = launch(f, "go run .", cmd)
	f.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	f.await("state=running")
}

// await waits until the program writes a line with the parts in their order.
func (f *follower) await(parts ...string) {
	f.Helper()
	quoted := make([]string, len(parts))
	for i, part := range parts {
		quoted[i] = regexp.QuoteMeta(part)
	}
	line := regexp.MustCompile(strings.Join(quoted, ".*"))
	eventually(f, 2*patience, func() error {
		if !f.program.alive() {
			f.Fatal("the program ended")
		}
		if !line.MatchString(f.program.output.String()) {
			return fmt.Errorf("the program did not write %q", parts)
		}
		return nil
	})
}

// expectLines waits for the lines that the README shows, and looks for the dead letter.
func (f *follower) expectLines(text string) {
	f.Helper()
	for line := range strings.Lines(text) {
		f.await(strings.Split(strings.TrimSpace(line), "…")...)
	}
	client, err := mongo.Connect(options.Client().ApplyURI(f.uri))
	must(f, err)
	defer func() { _ = client.Disconnect(f.Context()) }()
	n, err := client.Database("shop").Collection("_fw_dlq").CountDocuments(f.Context(), bson.M{})
	if must(f, err); n != 1 {
		f.Errorf("%d dead letters, want 1", n)
	}
}

// stopProgram does what Ctrl-C does: it interrupts the go command and the program. What the go
// command then exits with is not the program's.
func (f *follower) stopProgram() {
	f.Helper()
	must(f, syscall.Kill(-f.program.cmd.Process.Pid, syscall.SIGINT))
	eventually(f, patience, func() error {
		if f.program.alive() {
			return errors.New("the program goes on after Ctrl-C")
		}
		return nil
	})
	if !strings.Contains(f.program.output.String(), "lease released") {
		f.Error("the program ended without releasing its lease")
	}
}
