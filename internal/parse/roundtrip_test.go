package parse_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/parse"
	"github.com/fwgen/fwgen/internal/spec"
)

// TestWhatIsPrintedIsRead writes directives with arbitrary descriptions and settings, in each of
// the ways to write a value, and reads them back.
func TestWhatIsPrintedIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[ -~é日]{1,20}`).Draw(rt, "text")
		written := strconv.Quote(text)
		bare := !strings.ContainsAny(text, " \"`,';=")
		if bare && rapid.Bool().Draw(rt, "bare") {
			written = text
		} else if !strings.Contains(text, "`") && rapid.Bool().Draw(rt, "raw") {
			written = "`" + text + "`"
		}
		space := rapid.SampledFrom([]string{" ", "\t", "  ", " \t"}).Draw(rt, "space")
		comment := strings.Join([]string{"//fw:changestream", "description=" + written,
			"collection=orders", "dlq", "retry=7"}, space)
		file, list := read(t, comment+onStruct)
		if list.Len() > 0 || len(file.Types) != 1 {
			rt.Fatalf("%s: %v", comment, list.Sorted())
		}
		d := file.Types[0].Directives[0]
		got := d.Arg("description").Values[0]
		if got.Text != text || got.Parsed != any(text) {
			rt.Fatalf("%s: got %q", comment, got.Text)
		}
		if source := comment[got.Pos.Col-1 : got.Pos.Col-1+got.Pos.Len]; source != written {
			rt.Fatalf("%s: the value is said to be at %q", comment, source)
		}
		if d.Arg("retry").Values[0].Parsed != any(7) || len(d.Arg("dlq").Values) != 0 {
			rt.Fatalf("%s: got %v", comment, d.Args)
		}
	})
}

// TestEveryUnavailableOptionIsRefused walks the table: what has no engine yet is an error that says
// so, and never a no-op.
func TestEveryUnavailableOptionIsRefused(t *testing.T) {
	t.Parallel()
	for _, v := range spec.Verbs {
		for _, o := range v.Keys {
			values := []string{o.Name + "=x"}
			if !o.Missing {
				values = nil
				for _, word := range o.Values {
					if word.Missing {
						values = append(values, o.Name+"="+word.Name)
					}
				}
			}
			for _, value := range values {
				src := "//fw:changestream collection=a\n//fw:" + v.Name + " " + value + onStruct
				if v.Name == "changestream" {
					src = "//fw:changestream collection=a " + value + onStruct
				}
				if o.Name == "collection" {
					src = "//fw:changestream " + value + onStruct
				}
				_, list := read(t, src)
				if list.Len() != 1 || !strings.Contains(list.Sorted()[0].Message, "not there yet") {
					t.Errorf("%s: %v", src, list.Sorted())
				}
			}
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"//fw:retry": true, "// FW :x": true, "//fwgen:x": true, "//FwGen\t:x": true,
		"fw \"x\"": false, "f w:": false, "": false, "w": false, "fw": false, "fwg:": false,
		"a fwfw:": true,
	} {
		if got := parse.Mentions([]byte(text)); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// A bare word in which one argument seems to end swallows the next one.
func TestBareWordInWhichAnArgumentSeemsToEnd(t *testing.T) {
	t.Parallel()
	for value, col := range map[string]int{
		"orders;retry=5": 36, "orders=1": 36, "orders\u00a0retry=5": 36, "orders\u200b": 36,
		"orders\u3000": 36,
	} {
		_, list := read(t, "//fw:changestream collection="+value+onStruct)
		if list.Len() != 1 || list.Sorted()[0].Pos.Col != col {
			t.Errorf("%q: %v, want one problem at column %d", value, list.Sorted(), col)
		}
		file, list := read(t, "//fw:changestream collection="+strconv.Quote(value)+onStruct)
		if list.Len() != 0 || file.Types[0].Directives[0].Arg("collection").Values[0].Text != value {
			t.Errorf("%q, quoted: %v", value, list.Sorted())
		}
	}
}
