package load

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"

	"github.com/fwgen/fwgen/internal/parse"
)

// parseFile parses a file that may be unfinished. Go's parser loses what follows a mistake, so a
// body that it stumbles over is blanked and the file parsed again: bodies are of no interest here,
// and what follows one is. The faults that remain are outside of function bodies.
func parseFile(fset *token.FileSet, name string, text []byte) (*ast.File, scanner.ErrorList) {
	first, faults := parseOnce(fset, name, text)
	file, remaining := first, faults
	for len(remaining) > 0 {
		at := remaining[0].Pos.Offset
		for _, mended := range blankBodies(text, at) {
			again, left := parseOnce(fset, name, mended)
			if len(left) == 0 || left[0].Pos.Offset > at {
				file, remaining, text = again, left, mended
				break
			}
		}
		if len(remaining) > 0 && remaining[0].Pos.Offset == at {
			return first, faults
		}
	}
	return file, nil
}

func parseOnce(fset *token.FileSet, name string, text []byte) (*ast.File, scanner.ErrorList) {
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	var faults scanner.ErrorList
	errors.As(err, &faults)
	return file, faults
}

// blankBodies are the ways to mend a fault at an offset: without the body of the function there, or
// of the one before, which may have swallowed the next function's beginning.
func blankBodies(text []byte, offset int) [][]byte {
	offset = min(offset, len(text))
	if offset < len(text) {
		offset++ // a fault may be where a function begins
	}
	var ways [][]byte
	start := offset
	for range 2 {
		if start = lastLine(text[:start], "func"); start < 0 {
			break
		}
		if mended := blankBody(text, start); mended != nil {
			ways = append(ways, mended)
		}
	}
	return ways
}

// blankBody replaces the body of the function at an offset by spaces. It relies on the layout that
// gofmt gives functions: they begin and end at the start of a line. Nil means that there is no body
// or none that could be blanked without losing a directive.
func blankBody(text []byte, start int) []byte {
	open, end := bodyStart(text[start:]), bytes.Index(text[start:], []byte("\n}"))
	if open < 0 || open > end {
		return nil
	}
	body := text[start+open+1 : start+end+1]
	if lastLine(body, "func", "type", "var", "const") >= 0 || parse.Mentions(body) {
		return nil
	}
	mended := bytes.Clone(text)
	for i, b := range body {
		if b != '\n' && b != '\r' {
			mended[start+open+1+i] = ' '
		}
	}
	return mended
}

// lastLine finds the last line that begins with one of the words.
func lastLine(text []byte, words ...string) int {
	last := -1
	for _, word := range words {
		at := bytes.LastIndex(text, []byte("\n"+word))
		if at >= 0 {
			last = max(last, at+1)
		}
	}
	return last
}

// bodyStart finds the brace that opens a function's body, behind its signature.
func bodyStart(text []byte) int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, func(token.Position, string) {}, 0)
	depth, previous := 0, token.ILLEGAL
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return -1
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.LBRACE:
			if depth == 0 && previous != token.STRUCT && previous != token.INTERFACE {
				return file.Offset(pos)
			}
			depth++
		}
		previous = tok
	}
}
