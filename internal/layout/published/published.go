// Package published gives tests this module in the form in which users get it: as a zip file with
// a go.mod beside it, that the go command downloads from a proxy.
//
// The form matters. It has no modules that lie inside this one, no replace directives, and nothing
// of the repository that users do not get.
package published

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Module is a version of the module that is offered by a proxy in the file system.
type Module struct {
	Path, Version string

	// Env are the variables with which the go command gets this version, and all other modules
	// from the module cache of this machine as far as they are there.
	Env []string
}

// Publish offers the module whose root is the given directory, as its files are, committed or not,
// by a proxy below dir. The version tells the content, so that a module cache never confuses two.
// The go commands that run with Env need no network, if other modules are in the developer's cache;
// Publish tries to put them there.
func Publish(root, dir string) (Module, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return Module{}, err
	}
	files, err := filesOf(root)
	if err != nil {
		return Module{}, err
	}
	m := Module{Path: modfile.ModulePath(text), Version: versionOf(files)}
	if err := m.write(dir, text, files); err != nil {
		return Module{}, fmt.Errorf("publish %s: %w", m.Path, err)
	}
	if err := download(root); err != nil {
		return Module{}, err
	}
	m.Env, err = environment(root, dir)
	return m, err
}

// write writes what a proxy serves.
func (m Module) write(dir string, goMod []byte, files []zip.File) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	versions := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": m.Version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	this := module.Version{Path: m.Path, Version: m.Version}
	if err := zip.Create(&archive, this, files); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list":              []byte(m.Version + "\n"),
		m.Version + ".info": info,
		m.Version + ".mod":  goMod,
		m.Version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(versions, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// filesOf reads what a release would have: what Git knows, or would if it were added. It reads
// each file once, as somebody may be working on it.
func filesOf(root string) (files []zip.File, err error) {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", root, err)
	}
	all := fstest.MapFS{}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			return nil, err
		}
		all[name] = &fstest.MapFile{Data: content, Mode: 0o644}
		files = append(files, file{name, all})
	}
	return files, nil
}

// versionOf makes a version that users would get as the latest one.
func versionOf(files []zip.File) string {
	sum := sha256.New()
	for _, f := range files {
		content := f.(file).all[f.Path()].Data
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", f.Path(), len(content), content)
	}
	return "v0.1.0-checkout.h" + hex.EncodeToString(sum.Sum(nil)[:6])
}

// environment has a module cache below the root's .cache, apart from the developer's: what is
// published here is nobody else's business.
func environment(root, proxy string) ([]string, error) {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	cache, err := cacheOf(filepath.Join(root, ".cache", "modules"))
	if err != nil {
		return nil, err
	}
	downloads := filepath.Join(strings.TrimSpace(string(out)), "cache", "download")
	return []string{
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(downloads),
		"GOMODCACHE=" + cache,
		"GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=", "GONOSUMDB=",
		"GOFLAGS=-modcacherw -buildvcs=false", "GOWORK=off",
	}, nil
}

// download puts all modules into the developer's cache that users may need: what tidy looks at is
// more than what the tests of this one do. It is done with a copy, as it would change go.sum.
func download(root string) error {
	dir, err := os.MkdirTemp("", "fwgen-download-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	cmd := exec.Command("go", "mod", "download", "all")
	cmd.Dir = dir
	_ = cmd.Run() // without a network what is there may do; what is not is named when it is needed
	return nil
}

// cacheOf returns the module cache of this week, and deletes those of earlier ones: they collect a
// version for every change.
func cacheOf(dir string) (string, error) {
	year, week := time.Now().ISOWeek()
	name := fmt.Sprintf("%d-%02d", year, week)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, old := range entries {
		if old.Name() != name {
			if err := os.RemoveAll(filepath.Join(dir, old.Name())); err != nil {
				return "", err
			}
		}
	}
	return filepath.Join(dir, name), nil
}

// file is a file of the module.
type file struct {
	name string
	all  fstest.MapFS
}

// Path returns the file's path below the root, with slashes.
func (f file) Path() string { return f.name }

// Lstat returns what there is to know of the file.
func (f file) Lstat() (os.FileInfo, error) { return f.all.Stat(f.name) }

// Open opens the file as it was read.
func (f file) Open() (io.ReadCloser, error) { return f.all.Open(f.name) }
