package load

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/fwgen/fwgen/internal/parse"
)

// list lists the packages that the patterns match. The go command leaves out, without a word, a
// package all of whose files are under constraints that do not hold; one that mentions fwgen must
// not go unnoticed.
func (p *Program) list(patterns []string) ([]*packages.Package, error) {
	config := p.goList(packages.NeedName | packages.NeedFiles | packages.NeedModule)
	listed, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	dirs, err := p.leftOut(patterns, listed)
	if err != nil || len(dirs) == 0 {
		return listed, err
	}
	more, err := packages.Load(config, dirs...)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	return append(listed, more...), nil
}

// leftOut returns the directories below the patterns' that have Go files which mention fwgen, and
// were not listed.
func (p *Program) leftOut(patterns []string, listed []*packages.Package) ([]string, error) {
	known := map[string]bool{}
	for _, l := range listed {
		known[l.Dir] = true
	}
	var dirs []string
	for _, pattern := range patterns {
		root, isTree := p.tree(pattern)
		if !isTree {
			continue
		}
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil || !entry.IsDir():
				return nil // the go command has said what is to be said
			case path != root && skipped(path):
				return fs.SkipDir
			case !known[path] && p.mentioned(path):
				known[path] = true
				dirs = append(dirs, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look for packages: %w", err)
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}

// tree is the directory whose tree a pattern stands for, if it is a pattern of file names.
func (p *Program) tree(pattern string) (root string, ok bool) {
	root, ok = strings.CutSuffix(pattern, "...")
	if !ok || !strings.HasPrefix(pattern, ".") && !filepath.IsAbs(pattern) {
		return "", false
	}
	if !filepath.IsAbs(root) {
		root = filepath.Join(p.config.Dir, root)
	}
	return filepath.Clean(root), true
}

// skipped tells whether the go command does not look into a directory below another.
func skipped(path string) bool {
	base := filepath.Base(path)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") ||
		base == "testdata" || base == "vendor" {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod")) // another module
	return err == nil
}

func (p *Program) mentioned(dir string) bool {
	names, err := goFiles(&Package{Dir: dir})
	return err == nil && slices.ContainsFunc(names, func(name string) bool {
		text, err := p.read(name)
		return err == nil && !IsOwn(name, text) && parse.Mentions(text)
	})
}
