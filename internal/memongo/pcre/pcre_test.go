package pcre_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/pcre"
)

// What a server answered to the same patterns and texts.
func TestPatternsMatchWhatPCREMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, options string
		yes, no          []string
	}{
		{`^a`, "", []string{"abc"}, []string{"ABC", "ba"}},
		{`^a`, "i", []string{"abc", "ABC"}, nil},
		{`^É$`, "i", []string{"é", "É"}, nil},
		{`^b`, "", nil, []string{"a\nb"}},
		{`^b`, "m", []string{"a\nb", "a\r\nb"}, []string{"ab\n"}},
		{`b$`, "", []string{"a\nb", "ab\n"}, []string{"b\na", "b\n\n"}},
		{`a$`, "m", []string{"a\nb"}, []string{"a\r\nb"}},
		{`a\r$`, "m", []string{"a\r\nb"}, nil},
		{`b$\n`, "", nil, []string{"b"}},
		{`a.b`, "", []string{"axb"}, []string{"a\nb"}},
		{`a.b`, "s", []string{"a\nb"}, nil},
		{`b\z`, "", []string{"a\nb"}, []string{"ab\n"}},
		{`b\Z`, "", []string{"a\nb", "ab\n"}, nil},
		{`\Aabc\z`, "", []string{"abc"}, []string{"abcabc"}},
		{`x\sy`, "", []string{"x\vy", "x y"}, []string{"x\u00a0y"}},
		{`x[\s]y`, "", []string{"x\vy"}, []string{"xsy"}},
		{`x[\S]y`, "", []string{"xsy", "xéy"}, []string{"x\vy", "x y"}},
		{`x[[:space:]]y`, "", []string{"x\vy"}, nil},
		{`x\hy`, "", []string{"x\u00a0y", "x y"}, []string{"x\vy"}},
		{`x\vy`, "", []string{"x\vy"}, []string{"x y"}},
		{`a\Rb`, "", []string{"a\nb", "a\r\nb"}, []string{"ab"}},
		{`^\p{Lu}$`, "i", []string{"A"}, []string{"a"}},
		{`^\N{2}$`, "", []string{"ab"}, []string{"a"}},
		{`^\N$`, "", []string{"é", "{"}, []string{"\n\n"}},
		{`^\w$`, "", []string{"x", "_"}, []string{"é"}},
		{`\x61\x{e9}\o{141}\141\x`, "", []string{"aéaa\x00"}, nil},
		{`\Qa.c\E`, "", []string{"a.c"}, []string{"abc"}},
		{`^\p{L}$`, "", []string{"é", "x"}, []string{"_"}},
		{`^[\p{L&}]\p{L&}$`, "", []string{"éx"}, []string{"__"}},
		{`\d{1`, "", []string{"5{1"}, []string{"5"}},
		{`a{,2}`, "", []string{"a{,2}"}, []string{"aa"}},
		{`^a{2}$`, "", []string{"aa"}, []string{"a", "aaa"}},
		{`^{$`, "", []string{"{"}, nil},
		{`a\/b\_\i`, "", []string{"a/b_i"}, nil},
		{`[\b]`, "", []string{"\b"}, []string{"b"}},
		{`^[\d-z]$`, "", []string{"-", "7", "z"}, []string{"y"}},
		{`^[]a-]$`, "", []string{"]", "a", "-"}, []string{"b"}},
		{`^[^]a]$`, "", []string{"b"}, []string{"]", "a"}},
		{`^[a-c\]\n\Qx-z\E]+$`, "", []string{"b]\nx-z"}, []string{"y"}},
		{`\8`, "", []string{"8"}, nil},
		{`^\cA\e\a\t$`, "", []string{"\x01\x1b\a\t"}, nil},
		{`a\ b`, "x", []string{"a b"}, []string{"ab"}},
		{`a[ ]b`, "x", []string{"a b"}, []string{"ab"}},
		{"a b # c (\n c", "x", []string{"abc"}, []string{"a b c"}},
		{"(?x) a b c", "", []string{"abc"}, nil},
		{"((?x) a ) b", "", []string{"a b"}, []string{"ab"}},
		{"a +", "x", []string{"aa"}, []string{"b"}},
		{`(?i)A(?-i)bc`, "", []string{"abc", "Abc"}, []string{"aBc"}},
		{`(?i:A)bc`, "", []string{"abc", "Abc"}, []string{"ABC"}},
		{`(?m:^b)|^c`, "", []string{"a\nb", "c"}, []string{"a\nc"}},
		{`a(?#a comment)b`, "", []string{"ab"}, nil},
		{`(?<n>a)(?'m'b)(?P<o>c)`, "", []string{"abc"}, nil},
		{`(*UTF8)abc`, "", []string{"abc"}, nil},
		{`^(a|b)*?c$`, "", []string{"abac"}, []string{"abad"}},
		{``, "", []string{"", "a"}, nil},
		{`abc`, "imsxu", []string{"ABC"}, nil},
	} {
		re, err := pcre.Compile(test.pattern, test.options)
		if err != nil {
			t.Errorf("/%s/%s: %v", test.pattern, test.options, err)
			continue
		}
		for _, text := range test.yes {
			if !re.MatchString(text) {
				t.Errorf("/%s/%s does not match %q: %v", test.pattern, test.options, text, re)
			}
		}
		for _, text := range test.no {
			if re.MatchString(text) {
				t.Errorf("/%s/%s matches %q: %v", test.pattern, test.options, text, re)
			}
		}
	}
}

func TestMistakesAreNamedInPCREsWords(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`(`:               "missing )",
		`a)`:              "unmatched parentheses",
		`[a`:              "missing terminating ] for character class",
		`[a-`:             "missing terminating ] for character class",
		`*`:               "nothing to repeat",
		`a**`:             "nothing to repeat",
		`a{2}{3}`:         "nothing to repeat",
		`^*`:              "nothing to repeat",
		`a|*`:             "nothing to repeat",
		`(*)`:             "nothing to repeat",
		`a{2,1}`:          "numbers out of order in {} quantifier",
		`[z-a]`:           "range out of order in character class",
		`[a-\d]`:          "invalid range in character class",
		`[[:foo:]]`:       "unknown POSIX class name",
		`\p{Foo}`:         `unknown property name after \P or \p`,
		`\`:               `\ at end of pattern`,
		`[\`:              `\ at end of pattern`,
		`\c`:              `\c at end of pattern`,
		`\u0061`:          `PCRE does not support \L, \l, \N{name}, \U, or \u`,
		`(?z)`:            "unrecognized character after (? or (?-",
		`(?`:              "unrecognized character after (? or (?-",
		`(?<n`:            "syntax error in subpattern name (missing terminator)",
		`(?<1>a)`:         "group name must start with a non-digit",
		`x(?#`:            "missing ) after comment",
		"(?x) a # to the": "missing )",
		`\x{110000}`:      `character value in \x{} or \o{} is too large`,
	} {
		_, err := pcre.Compile(pattern, "")
		var mistake *pcre.SyntaxError
		if !errors.As(err, &mistake) || mistake.Message != want {
			t.Errorf("/%s/: %v, want %s", pattern, err, want)
		}
	}
}

func TestWhatGoLacksIsRefusedByName(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`a(?=b)`:       "lookahead (?=…)",
		`a(?!b)`:       "lookahead (?!…)",
		`(?<=a)b`:      "lookbehind (?<=…)",
		`(?<!a)b`:      "lookbehind (?<!…)",
		`(a)\1`:        `a backreference \1`,
		`(?<n>a)\k<n>`: `a backreference \k`,
		`a++`:          "a possessive quantifier (++)",
		`a{2}+`:        "a possessive quantifier ({2}+)",
		`(?>a)`:        "an atomic group (?>…)",
		`(?|a|b)`:      "a branch reset (?|…)",
		`a(?R)?`:       "recursion (?R)",
		`(a)(?1)`:      "recursion (?1…)",
		`(a)?(?(1)b)`:  "a condition (?(…)…)",
		`(*FAIL)`:      "the verb (*FAIL)",
		`\Ka`:          `\K`,
		`a{1001}`:      "a repetition or a nesting of this size",
	} {
		_, err := pcre.Compile(pattern, "")
		var lacking *pcre.UnsupportedError
		if !errors.As(err, &lacking) || lacking.Construct != want {
			t.Errorf("/%s/: %v, want %s", pattern, err, want)
		}
	}
}

func TestEveryTextIsAPatternOrRefused(t *testing.T) {
	t.Parallel()
	parts := rapid.SampledFrom([]string{
		"a", "é", "\xff", "(", ")", "(?", "(?i)", "(?x-s:", "[", "]", "^", "-", "\\", "\\d", "\\S",
		"\\Q", "\\E", "\\x{", "}", "{", "{2}", "{2,}", "*", "?", "+", "|", "$", ".", "[:alpha:]",
		"\\p{L&}", "\\pL", "\\b", "\\1", "\\07", "#", "\n", " ", "(?<a>", "\\cA", "\\o{7}",
	})
	rapid.Check(t, func(t *rapid.T) {
		pattern := ""
		for _, part := range rapid.SliceOfN(parts, 0, 8).Draw(t, "parts") {
			pattern += part
		}
		options := rapid.StringMatching(`i?m?s?x?`).Draw(t, "options")
		re, err := pcre.Compile(pattern, options)
		var mistake *pcre.SyntaxError
		var lacking *pcre.UnsupportedError
		if !errors.As(err, &mistake) && !errors.As(err, &lacking) && re == nil {
			t.Fatalf("/%s/%s: %v", pattern, options, err)
		}
	})
}
