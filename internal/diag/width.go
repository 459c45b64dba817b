package diag

import (
	"strings"
	"unicode"
)

// tabStop is how far apart the stops of a terminal's tabs are.
const tabStop = 8

// columns is the column that text ends at, if it begins at one.
func columns(start int, text []rune) int {
	for _, c := range text {
		if c == '\t' {
			start += tabStop - start%tabStop
		} else {
			start += runeWidth(c)
		}
	}
	return start
}

func width(text string) int { return columns(0, []rune(text)) }

// wide are the scripts and symbols that terminals show in two columns: the East Asian wide and
// full-width characters of Unicode's annex 11, and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x231a, Hi: 0x231b, Stride: 1},
		{Lo: 0x23e9, Hi: 0x23ec, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0x33ff, Stride: 1}, {Lo: 0x3400, Hi: 0x4dbf, Stride: 1},
		{Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xa000, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xa960, Hi: 0xa97f, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff01, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x16fe0, Hi: 0x18cff, Stride: 1}, {Lo: 0x1b000, Hi: 0x1b2ff, Stride: 1},
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, {Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f7e0, Hi: 0x1f7eb, Stride: 1}, {Lo: 0x1f900, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}

// runeWidth is the number of columns that a character takes: none for one that combines with the
// one before it.
func runeWidth(c rune) int {
	switch {
	case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, c):
		return 2
	default:
		return 1
	}
}

// bidi are the characters that change the direction of text, and so what a reader sees.
var bidi = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x202a, Hi: 0x202e, Stride: 1}, {Lo: 0x2066, Hi: 0x2069, Stride: 1},
}}

// visible replaces what a terminal would obey instead of showing. Tabs stay.
func visible(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\t' || unicode.Is(bidi, c) {
			return unicode.ReplacementChar
		}
		return c
	}, text)
}

// clean is visible for texts of several lines.
func clean(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = visible(strings.TrimSuffix(line, "\r"))
	}
	return strings.Join(lines, "\n")
}
