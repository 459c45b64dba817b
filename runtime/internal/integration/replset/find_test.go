package replset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReleasesKnowTheSplitStage(t *testing.T) {
	for text, want := range map[string]bool{
		"5.0.31":     false,
		"6.0.5":      false,
		"6.0.8":      false,
		"6.0.9":      true,
		"6.0.27\n":   true,
		"6.1.0":      false,
		"7.0.0":      true,
		"8.0.0-rc12": true,
	} {
		release, err := ParseRelease(text)
		if err != nil || release.HasSplitStage() != want {
			t.Errorf("%q: %+v, %v, want %v", text, release, err, want)
		}
	}
}

func TestServerOnPathIsTakenWhenNewEnough(t *testing.T) {
	for _, test := range []struct {
		version      string
		plain, split bool
	}{
		{"v5.0.9", false, false},
		{"v6.0.0", true, false},
		{"v6.0.9", true, true},
		{"v7.0.14", true, true},
		{"unknown", false, false},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "mongod")
		script := "#!/bin/sh\necho db version " + test.version + "\n"
		if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/bin:/usr/bin")
		if got, _ := FindBinary(); (got == path) != test.plain {
			t.Errorf("%s: FindBinary chose %q", test.version, got)
		}
		if got, _ := FindSplitBinary(); (got == path) != test.split {
			t.Errorf("%s: FindSplitBinary chose %q", test.version, got)
		}
	}
}

func TestFindSaysWhatToDo(t *testing.T) {
	t.Setenv("PATH", "")
	t.Chdir(t.TempDir())
	for fetch, find := range map[string]func() (string, error){
		"scripts/mongod fetch puts":         FindBinary,
		"scripts/mongod fetch --split puts": FindSplitBinary,
	} {
		if _, err := find(); err == nil || !strings.Contains(err.Error(), fetch) {
			t.Errorf("%v, want it to say %q", err, fetch)
		}
	}
}
