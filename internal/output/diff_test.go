package output_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/output"
)

func TestUnified(t *testing.T) {
	t.Parallel()
	long := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n"
	for _, tt := range []struct{ name, old, new, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"created", "", "a\nb\n", "--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"removed", "a\n", "", "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n"},
		{"one line", "a\nb\nc\n", "a\nx\nc\n",
			"--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"two hunks", long, strings.Replace(strings.Replace(long, "2\n", "two\n", 1), "\n15\n", "\n", 1),
			"--- old\n+++ new\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n" +
				"@@ -12,5 +12,4 @@\n 12\n 13\n 14\n-15\n 16\n"},
		{"no newline", "a\nb", "a\nb\n",
			"--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"moved", "a\nb\nc\nd\n", "b\nc\na\nd\n",
			"--- old\n+++ new\n@@ -1,4 +1,4 @@\n-a\n b\n c\n+a\n d\n"},
	} {
		got := string(output.Unified("old", []byte(tt.old), "new", []byte(tt.new)))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestPatchAgrees lets patch(1) apply differences of random texts.
func TestPatchAgrees(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("patch"); err != nil {
		t.Skip("there is no patch command to ask")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "text")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([abc]\n){0,30}[ab]?`)
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		diff := output.Unified(name, []byte(old), name, []byte(new))
		if (diff == nil) != (old == new) {
			t.Fatalf("a difference of %d bytes", len(diff))
		}
		if diff == nil {
			return
		}
		if err := os.WriteFile(name, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		patch := exec.Command("patch", "--silent", "--fuzz=0", name)
		patch.Stdin = bytes.NewReader(diff)
		if out, err := patch.CombinedOutput(); err != nil {
			t.Fatalf("patch: %v\n%s\n%s", err, out, diff)
		}
		got, err := os.ReadFile(name) // gone where nothing is left
		if err != nil && !os.IsNotExist(err) || string(got) != new {
			t.Fatalf("patched to %q, %v, with\n%s", got, err, diff)
		}
	})
}

// TestUnifiedGivesUpOnWhatHasNothingInCommon and still gives a true difference.
func TestUnifiedGivesUpOnWhatHasNothingInCommon(t *testing.T) {
	t.Parallel()
	var old, new strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&old, "old %d\n", i)
		fmt.Fprintf(&new, "new %d\n", i)
	}
	diff := output.Unified("a", []byte(old.String()), "b", []byte(new.String()))
	if n := bytes.Count(diff, []byte("\n")); n != 6003 {
		t.Errorf("%d lines", n)
	}
}
