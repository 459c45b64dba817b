package layout_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are the documents whose commands and links are checked.
var pages = []string{"README.md", "CHANGELOG.md", "docs/*.md"}

// A command that is shown must exist: the make target, the script, the package of ours.
func TestShownCommandsExist(t *testing.T) {
	makefile := read(t, "Makefile")
	shown := 0
	for page, text := range documents(t) {
		for _, line := range strings.Split(strings.Join(codeBlocks(text, "sh"), ""), "\n") {
			words := strings.Fields(line)
			if len(words) == 0 || strings.HasPrefix(words[0], "#") {
				continue
			}
			shown++
			switch {
			case words[0] == "make" && len(words) > 1:
				target := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(words[1]) + `:`)
				if !target.MatchString(makefile) {
					t.Errorf("%s shows %q: the Makefile has no such target", page, line)
				}
			case strings.HasPrefix(words[0], "scripts/"):
				if info, err := os.Stat(filepath.Join(root(t), words[0])); err != nil ||
					info.Mode()&0o100 == 0 {
					t.Errorf("%s shows %q: no such script (%v)", page, line, err)
				}
			}
			for _, word := range words {
				path, ours := own(strings.SplitN(word, "@", 2)[0])
				if _, err := os.Stat(filepath.Join(root(t), path)); ours && err != nil {
					t.Errorf("%s shows %q: %v", page, line, err)
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no page shows a command: is the test still right?")
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

func TestLinkedFilesExist(t *testing.T) {
	for page, text := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target := match[1]
			if strings.Contains(target, "://") {
				continue
			}
			path := filepath.Join(root(t), filepath.Dir(page), target)
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s: %v", page, target, err)
			}
		}
	}
}

// documents returns the pages' texts by their paths below the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range pages {
		found, err := filepath.Glob(filepath.Join(root(t), pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no such page (%v)", pattern, err)
		}
		for _, path := range found {
			page, err := filepath.Rel(root(t), path)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.ToSlash(page)] = read(t, page)
		}
	}
	return texts
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// codeBlocks returns the fenced blocks of one language, whole.
func codeBlocks(text, language string) (found []string) {
	for _, part := range strings.Split(text, "```"+language+"\n")[1:] {
		code, _, _ := strings.Cut(part, "```")
		found = append(found, code)
	}
	return found
}
