package main

import (
	"os"
	"path/filepath"
	"strings"

	"go/scanner"
	"go/token"
)

// count is the number of lines with code on them in a directory, without generated files.
func count(dir string) (n int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		if !strings.HasPrefix(string(text), "// Code generated ") {
			n += codeLines(name, text)
		}
	}
	return n, nil
}

// codeLines counts the lines of a file that have code or a directive on them.
func codeLines(name string, text []byte) int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(name, -1, len(text))
	s.Init(file, text, nil, scanner.ScanComments)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok != token.COMMENT || strings.HasPrefix(literal, "//fw:") ||
			strings.HasPrefix(literal, "//go:") {
			lines[file.Line(pos)] = true
		}
	}
}
