package manual_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fwgen/fwgen/internal/diag"
	"github.com/fwgen/fwgen/internal/manual"
	"github.com/fwgen/fwgen/internal/spec"
)

// TestPagesAreFresh compares what is committed with what the table and the catalog say.
func TestPagesAreFresh(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"directives.md": manual.Directives(), "diagnostics.md": manual.Diagnostics(),
	} {
		got, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("docs/%s is out of date; run go generate ./internal/cli:\n%s", name, diff)
		}
	}
}

// TestEverythingIsTold: verbs, keys, values, defaults and ranges stand on the page and in the texts
// for a terminal, and what is missing is marked in both.
func TestEverythingIsTold(t *testing.T) {
	t.Parallel()
	page := manual.Directives()
	for _, v := range spec.Verbs {
		text := manual.Verb(v)
		_, section, _ := strings.Cut(page, "### `//fw:"+v.Name+"`\n")
		section, _, _ = strings.Cut(section, "\n#")
		if section == "" || !strings.Contains(text, v.Doc) || !strings.Contains(section, v.Doc) {
			t.Errorf("%s is not told", v.Name)
		}
		for _, o := range v.Keys {
			name := v.Name + "." + o.Name
			line := regexp.MustCompile(`(?m)^  ` + o.Name + ` .*$`).FindString(text)
			if line == "" || strings.Contains(line, "not available yet") != o.Missing {
				t.Errorf("%s stands among the keys of its verb as %q", name, line)
			}
			checkOption(t, name+" in a terminal", manual.Option(v, o), o)
			row := regexp.MustCompile("(?m)^\\| `" + o.Name + "` \\|.*$").FindString(section)
			checkOption(t, name+" on the page", row, o)
		}
		if v.Arg != nil {
			checkOption(t, v.Name, text, v.Arg)
		}
	}
}

func checkOption(t *testing.T, name, text string, o *spec.Option) {
	t.Helper()
	missing := 0
	for _, want := range []string{o.Default, o.Min, o.Max, strings.Join(strings.Fields(o.Doc), " ")} {
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q is missing in\n%s", name, want, text)
		}
	}
	for _, v := range o.Values {
		if !strings.Contains(text, v.Name) || !strings.Contains(text, v.Doc) {
			t.Errorf("%s: the value %s is missing in\n%s", name, v.Name, text)
		}
		if v.Missing {
			missing++
		}
	}
	if marked := strings.Contains(text, "not available yet"); marked != (o.Missing || missing > 0) {
		t.Errorf("%s: marked as not available: %v in\n%s", name, marked, text)
	}
}

func TestEveryCodeIsTold(t *testing.T) {
	t.Parallel()
	page := manual.Diagnostics()
	for _, e := range diag.Catalog() {
		ex := diag.Explain(e.Code)
		text := manual.Code(ex)
		if !strings.HasPrefix(text, e.Code.String()+": "+e.Title+"\n\n"+ex.Doc) ||
			!strings.Contains(page, "\n### "+e.Code.String()+"\n") {
			t.Errorf("%v is not told", e.Code)
		}
		for _, f := range append(ex.Wrong, ex.Right...) {
			if !strings.Contains(page, "\n"+f.Text+"```") {
				t.Errorf("%v: an example is not on the page:\n%s", e.Code, f.Text)
			}
			first, _, _ := strings.Cut(f.Text, "\n")
			if !strings.Contains(text, "\n    "+first) {
				t.Errorf("%v: an example is not in the text:\n%s", e.Code, text)
			}
		}
	}
}
