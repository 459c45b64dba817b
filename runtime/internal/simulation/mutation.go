package simulation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mutation is a fault that is planted into the runtime, to see the simulation find it.
type Mutation struct {
	Name string // of its file, without the ending
	Why  string // what is wrong then
	Rule Rule   // that is broken
	File string // below the repository's root
	Old  string // what is there
	New  string // what is put in its place
}

// Mutations reads the mutations in a directory, sorted by name.
func Mutations(dir string) (all []Mutation, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read mutation: %w", err)
		}
		m, err := parseMutation(string(text))
		if err != nil {
			return nil, fmt.Errorf("read mutation %s: %w", path, err)
		}
		m.Name = strings.TrimSuffix(filepath.Base(path), ".txtar")
		all = append(all, m)
	}
	return all, nil
}

// parseMutation reads a head of lines, of which two begin with "rule: " and "file: ", and the
// sections old and new.
func parseMutation(text string) (m Mutation, err error) {
	head, rest, ok := strings.Cut(text, "-- old --\n")
	if !ok {
		return m, errors.New("no section old")
	}
	m.Old, m.New, ok = strings.Cut(rest, "-- new --\n")
	if !ok {
		return m, errors.New("no section new")
	}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if rule, ok := strings.CutPrefix(line, "rule: "); ok {
			m.Rule = Rule(rule)
		} else if file, ok := strings.CutPrefix(line, "file: "); ok {
			m.File = file
		} else {
			m.Why = strings.TrimSpace(m.Why + " " + line)
		}
	}
	if m.Rule == "" || m.File == "" || m.Why == "" {
		return m, errors.New("the head lacks what is wrong, the rule or the file")
	}
	return m, nil
}

// Apply returns the text of the file with the fault in it. It is an error if what is to be
// replaced is not there, or more than once.
func (m Mutation) Apply(text string) (string, error) {
	if n := strings.Count(text, m.Old); n != 1 {
		return "", fmt.Errorf("mutation %s: its old text is %d times in %s; make it fit the code "+
			"as it is now", m.Name, n, m.File)
	}
	return strings.Replace(text, m.Old, m.New, 1), nil
}
