package cli

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/load"
)

// TestNoEditMakesItPanic runs over some hundred packages that somebody is in the middle of
// editing: inputs of the goldens with tokens deleted, doubled and swapped, also inside directives.
// The run has to end, with or without problems, and never with a bug of its own.
func TestNoEditMakesItPanic(t *testing.T) {
	t.Parallel()
	m := newModule(t, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	var sources [][]byte
	for _, g := range readGoldens(t) {
		for _, f := range g.archive.Files {
			if strings.HasSuffix(f.Name, ".go") && !isExpectation(f.Name) {
				sources = append(sources, f.Data)
			}
		}
	}
	for i := range 600 {
		text := sources[rng.IntN(len(sources))]
		for range 1 + rng.IntN(3) {
			text = edit(rng, text)
		}
		writeFile(t, filepath.Join(m.dir, fmt.Sprintf("p%d", i), "p.go"), text)
	}
	prog, err := load.Scan(load.Config{Dir: m.dir, Env: m.env}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if err := prog.Types(); err != nil {
		t.Fatal(err)
	}
	generated := 0
	for _, pkg := range prog.Packages { // each alone, since many have streams of the same names
		var stderr bytes.Buffer
		p := newPass(&invocation{Process: Process{
			Dir: m.dir, Stdout: &bytes.Buffer{}, Stderr: &stderr,
		}}, prog, []*load.Package{pkg})
		if err := p.plan(); err != nil {
			t.Fatal(err)
		}
		generated += len(p.files)
		if code, err := p.write(nil); err != nil || code == exitFailure {
			text, _ := os.ReadFile(filepath.Join(pkg.Dir, "p.go"))
			t.Errorf("the exit code is %d, %v:\n%s\n%s", code, err, stderr.String(), text)
		}
	}
	if generated == 0 {
		t.Error("no package was generated; the edits are too wild to test much")
	}
}

// edit deletes, doubles or moves a token, or a byte inside one.
func edit(rng *rand.Rand, text []byte) []byte {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	var starts []int
	for {
		pos, tok, _ := s.Scan()
		starts = append(starts, file.Offset(pos))
		if tok == token.EOF {
			break
		}
	}
	if len(starts) < 2 {
		return text
	}
	i := rng.IntN(len(starts) - 1)
	from, to := starts[i], starts[i+1]
	word := string(text[from:to])
	switch rng.IntN(4) {
	case 0:
		word = ""
	case 1:
		word += word
	case 2:
		other := rng.IntN(len(starts) - 1)
		word = string(text[starts[other]:starts[other+1]])
	default:
		if at := rng.IntN(len(word) + 1); at < len(word) {
			word = word[:at] + word[at+1:]
		}
	}
	return []byte(string(text[:from]) + word + string(text[to:]))
}
