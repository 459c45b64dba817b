package replset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// ErrNoBinary says that there is no usable mongod on this machine.
var ErrNoBinary = errors.New(
	"no mongod >= 6.0 on PATH or in .cache (scripts/mongod fetch puts one there)")

// fetched is where scripts/mongod puts the server, below the root of the repository.
const fetched = ".cache/mongod/6.0.5/mongod"

// FindBinary returns the mongod to use: the one on PATH if it is 6.0 or later, else the one
// that scripts/mongod has fetched. "scripts/mongod path" chooses alike.
func FindBinary() (string, error) {
	if path, err := exec.LookPath("mongod"); err == nil {
		if major, _, err := Version(path); err == nil && major >= 6 {
			return path, nil
		}
	}
	root, err := repositoryRoot()
	if err != nil {
		return "", ErrNoBinary
	}
	path := filepath.Join(root, filepath.FromSlash(fetched))
	if _, err := os.Stat(path); err != nil {
		return "", ErrNoBinary
	}
	return path, nil
}

var versionLine = regexp.MustCompile(`db version v(\d+)\.(\d+)`)

// Version asks a mongod binary for its version.
func Version(binary string) (major, minor int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, "--version").Output()
	if err != nil {
		return 0, 0, fmt.Errorf("ask %s for its version: %w", binary, err)
	}
	match := versionLine.FindSubmatch(out)
	if match == nil {
		return 0, 0, fmt.Errorf("ask %s for its version: no version in the answer", binary)
	}
	major, _ = strconv.Atoi(string(match[1]))
	minor, _ = strconv.Atoi(string(match[2]))
	return major, minor, nil
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
