package diag_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/diag"
)

// excerpt renders a problem at a word of a line, without its first line.
func excerpt(r diag.Renderer, line, word, hint string) string {
	r.Sources = func(string) ([]byte, error) { return []byte(line), nil }
	var list diag.List
	list.Add(diag.New(diag.Stale, at("/a.go", 1, strings.Index(line, word)+1, len(word)), "x").
		Hinted("%s", hint))
	var b strings.Builder
	_ = r.Render(&b, &list) // a builder takes all
	_, rest, _ := strings.Cut(b.String(), "\n")
	return rest
}

func TestExcerptsOfUncommonLines(t *testing.T) {
	t.Parallel()
	x100 := strings.Repeat("x", 100)
	for _, tt := range []struct{ name, line, word, hint, want string }{
		{"wide letters take two columns, combining ones none",
			"日本 e\u0301 word 日本", "word", "h",
			"    1 | 日本 e\u0301 word 日本\n      |        ^^^^ h\n"},
		{"a wide word is underlined as a whole",
			"a 日本語 b", "日本語", "", "    1 | a 日本語 b\n      |   ^^^^^^\n"},
		{"a tab inside the range reaches to its stop",
			"ab\tcd", "b\tc", "", "    1 | ab\tcd\n      |  ^^^^^^^^\n"},
		{"control characters are shown, not obeyed",
			"a\x1b[31m\u202eword", "word", "", "    1 | a\uFFFD[31m\uFFFDword\n      |        ^^^^\n"},
		{"broken UTF-8 is one letter each",
			"\xff\xfe word", "word", "", "    1 | \uFFFD\uFFFD word\n      |    ^^^^\n"},
		{"the end of a long line is left out",
			"word " + x100 + x100, "word", "",
			"    1 | word " + strings.Repeat("x", 104) + "…\n      | ^^^^\n"},
		{"the beginning of a long line is left out",
			x100 + " word          .", "word", "h",
			"    1 | …" + strings.Repeat("x", 29) + " word          .\n" +
				"      | " + strings.Repeat(" ", 31) + "^^^^ h\n"},
		{"a long word is cut", "a" + x100 + x100, x100 + x100, "",
			"    1 | a" + strings.Repeat("x", 108) + "…\n      |  " + strings.Repeat("^", 109) + "\n"},
		{"a hint that does not fit beside the range stands below",
			x100, x100, "a hint of some words",
			"    1 | " + x100 + "\n      | " + strings.Repeat("^", 100) + "\n      = a hint of some words\n"},
	} {
		if diff := cmp.Diff(tt.want, excerpt(diag.Renderer{}, tt.line, tt.word, tt.hint)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestExcerptsFit: whatever the line and the range, no row is wider than the limit by more than the
// smallest mark, and the mark is there.
func TestExcerptsFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab \t日é\u0301")), 0, 300, -1)
		line := text.Draw(t, "before") + "<" + text.Draw(t, "word") + ">" + text.Draw(t, "after")
		word := line[strings.Index(line, "<") : strings.Index(line, ">")+1]
		rows := strings.Split(excerpt(diag.Renderer{}, line, word, ""), "\n")
		if !strings.Contains(rows[1], "^") || !utf8.ValidString(rows[0]) {
			t.Fatalf("got %q", rows)
		}
		for _, row := range rows {
			if w := columns(row); w > 8+110 {
				t.Fatalf("a row of %d columns: %q", w, row)
			}
		}
	})
}

// columns counts what a terminal would show of the letters that the test above draws.
func columns(row string) (n int) {
	for _, c := range row {
		switch c {
		case '\t':
			n += 8 - n%8
		case '日':
			n += 2
		case '\u0301':
		default:
			n++
		}
	}
	return n
}

// TestColours: only sequences are added, and only if asked for.
func TestColours(t *testing.T) {
	t.Parallel()
	plain := excerpt(diag.Renderer{}, "a word", "word", "hint")
	colored := excerpt(diag.Renderer{Color: true}, "a word", "word", "hint")
	want := "    1 \x1b[34m|\x1b[0m a word\n      \x1b[34m|\x1b[0m   \x1b[1;31m^^^^\x1b[0m \x1b[32mhint\x1b[0m\n"
	if colored != want {
		t.Errorf("got %q", colored)
	}
	if strings.Contains(plain, "\x1b") {
		t.Errorf("got %q", plain)
	}
}

func TestColored(t *testing.T) {
	t.Parallel()
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	switch {
	case !diag.Colored(device, env("TERM", "xterm", "NO_COLOR", "")):
		t.Error("a terminal gets no colours")
	case diag.Colored(device, env("NO_COLOR", "1")):
		t.Error("NO_COLOR is not respected")
	case diag.Colored(device, env("TERM", "dumb")):
		t.Error("a dumb terminal gets colours")
	case diag.Colored(file, env()):
		t.Error("a file gets colours")
	case diag.Colored(&strings.Builder{}, env()):
		t.Error("a buffer gets colours")
	}
}

// TestOneProblemHasOneLineAtTheMargin: editors take each for a problem.
func TestOneProblemHasOneLineAtTheMargin(t *testing.T) {
	t.Parallel()
	got := render(t, diag.New(diag.Stale, at("/w/orders/gone.go", 1, 1, 1), "first\r\nsecond\x07").
		Noted("one\ntwo").With(at("/w/orders/gone.go", 2, 1, 1), "there"))
	want := "gone.go:1:1: first [FW3001]\n      second\uFFFD\n      = one\n        two\n" +
		"   gone.go:2:1: there\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
