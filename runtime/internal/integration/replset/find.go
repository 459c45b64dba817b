package replset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Release is a version of the server, of which the parts that matter here.
type Release struct{ Major, Minor, Patch int }

// Oldest is the first release that the runtime supports.
var Oldest = Release{6, 0, 0}

// HasSplitStage reports whether the release knows $changeStreamSplitLargeEvent, which came
// with 7.0 and went into 6.0.9.
func (r Release) HasSplitStage() bool {
	return r.Major >= 7 || r.Major == 6 && r.Minor == 0 && r.Patch >= 9
}

func (r Release) before(other Release) bool {
	return slices.Compare(
		[]int{r.Major, r.Minor, r.Patch},
		[]int{other.Major, other.Minor, other.Patch}) < 0
}

// Where scripts/mongod puts servers, below the root of the repository.
const (
	fetched      = ".cache/mongod/6.0.5/mongod"
	fetchedSplit = ".cache/mongod/6.0.27/mongod"
)

// FindBinary returns the mongod to use: the one on PATH if it is 6.0 or later, else the one
// that scripts/mongod has fetched. "scripts/mongod path" chooses alike.
func FindBinary() (string, error) {
	return find(fetched, func(r Release) bool { return !r.before(Oldest) }, errors.New(
		"no mongod >= 6.0 on PATH or in .cache (scripts/mongod fetch puts one there)"))
}

// FindSplitBinary returns a mongod that has the split stage, from the same places.
func FindSplitBinary() (string, error) {
	return find(fetchedSplit, Release.HasSplitStage, errors.New(
		"no mongod >= 6.0.9 on PATH or in .cache (scripts/mongod fetch --split puts one there)"))
}

func find(cached string, good func(Release) bool, none error) (string, error) {
	if path, err := exec.LookPath("mongod"); err == nil {
		if release, err := ReleaseOf(path); err == nil && good(release) {
			return path, nil
		}
	}
	root, err := repositoryRoot()
	if err != nil {
		return "", none
	}
	path := filepath.Join(root, filepath.FromSlash(cached))
	if _, err := os.Stat(path); err != nil {
		return "", none
	}
	return path, nil
}

// ReleaseOf asks a mongod binary for its release.
func ReleaseOf(binary string) (Release, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, "--version").Output()
	if err != nil {
		return Release{}, fmt.Errorf("ask %s for its version: %w", binary, err)
	}
	_, version, found := strings.Cut(string(out), "db version v")
	if !found {
		return Release{}, fmt.Errorf("ask %s for its version: no version in the answer", binary)
	}
	return ParseRelease(version)
}

// ParseRelease reads the three numbers that text begins with, as in "6.0.27" or "8.0.0-rc1".
func ParseRelease(text string) (r Release, err error) {
	if _, err = fmt.Sscanf(text, "%d.%d.%d", &r.Major, &r.Minor, &r.Patch); err != nil {
		err = fmt.Errorf("parse release %q: %w", text, err)
	}
	return r, err
}

// repositoryRoot walks up from the working directory, which for a test is its package's.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "scripts", "mongod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not below the repository")
		}
		dir = parent
	}
}
