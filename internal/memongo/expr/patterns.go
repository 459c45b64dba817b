package expr

import (
	"errors"
	"regexp"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pcre"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// patterns has the searches by regular expressions, as far as package pcre has them.
func patterns(name string) reader {
	switch name {
	case "$regexMatch", "$regexFind", "$regexFindAll":
		return searching
	}
	return nil
}

// search is a $regexMatch, $regexFind or $regexFindAll.
type search struct {
	name                  string
	input, regex, options Expr
	compiled              *regexp.Regexp // where the pattern is constant
}

func searching(c *compiler, name string, argument any) (Expr, error) {
	d, ok := argument.(bson.D)
	if !ok {
		return nil, mongoerr.New(51103, "%s expects an object of named arguments but found: %s",
			name, value.TypeName(argument))
	}
	n, err := c.named(d, "input", "regex", "options")
	switch {
	case err != nil:
		return nil, err
	case n.unknown != "":
		return nil, mongoerr.New(31024, "%s found an unknown argument: %s", name, n.unknown)
	case !n.has("input"):
		return nil, mongoerr.New(31022, "%s requires 'input' parameter", name)
	case !n.has("regex"):
		return nil, mongoerr.New(31023, "%s requires 'regex' parameter", name)
	}
	s := search{name: name, input: n.get("input"), regex: n.get("regex"),
		options: n.get("options")}
	s.prepare(c)
	return s, nil
}

// prepare compiles a constant pattern.
func (s *search) prepare(c *compiler) {
	regex, constantRegex := known(s.regex)
	options, constantOptions := any(nil), true
	if s.options != nil {
		options, constantOptions = known(s.options)
	}
	if !constantRegex || !constantOptions {
		return
	}
	pattern, err := s.pattern(regex, options)
	if err != nil {
		c.fold(failing{err})
	}
	s.compiled = pattern
}

func (s search) Eval(v *Vars) (any, error) {
	values, err := evalNamed(v, []Expr{s.input, s.regex, s.options}, nil)
	if err != nil {
		return nil, err
	}
	input, ok := values[0].(string)
	if !ok && !nullish(values[0]) {
		return nil, mongoerr.New(51104, "%s needs 'input' to be of type string", s.name)
	}
	pattern := s.compiled
	if pattern == nil {
		if pattern, err = s.pattern(values[1], values[2]); err != nil {
			return nil, err
		}
	}
	if !ok {
		pattern = nil
	}
	return s.run(pattern, input), nil
}

// run searches; without a pattern or an input nothing is found.
func (s search) run(pattern *regexp.Regexp, input string) any {
	switch s.name {
	case "$regexMatch":
		return pattern != nil && pattern.MatchString(input)
	case "$regexFind":
		if pattern != nil {
			if at := pattern.FindStringSubmatchIndex(input); at != nil {
				return found(input, at)
			}
		}
		return nil
	}
	all := bson.A{}
	if pattern != nil {
		for _, at := range pattern.FindAllStringSubmatchIndex(input, -1) {
			all = append(all, found(input, at))
		}
	}
	return all
}

// found describes a match: the text, its place in characters, and its groups.
func found(input string, at []int) bson.D {
	captures := bson.A{}
	for i := 2; i < len(at); i += 2 {
		if at[i] < 0 {
			captures = append(captures, nil)
		} else {
			captures = append(captures, input[at[i]:at[i+1]])
		}
	}
	return bson.D{
		{Key: "match", Value: input[at[0]:at[1]]},
		{Key: "idx", Value: int32(len([]rune(input[:at[0]])))},
		{Key: "captures", Value: captures},
	}
}

// pattern compiles a string or a regular expression; null gives no pattern.
func (s search) pattern(regex, options any) (*regexp.Regexp, error) {
	var text, own string
	switch r := regex.(type) {
	case nil, value.MissingType, bson.Undefined:
		return nil, nil
	case string:
		text = r
	case bson.Regex:
		text, own = r.Pattern, r.Options
	default:
		return nil, mongoerr.New(51105, "%s needs 'regex' to be of type string or regex", s.name)
	}
	flags, ok := options.(string)
	switch {
	case !ok && !nullish(options):
		return nil, mongoerr.New(51106, "%s needs 'options' to be of type string", s.name)
	case own != "" && flags != "":
		return nil, mongoerr.New(51107, "%s: found regex option(s) specified in both 'regex' "+
			"and 'option' fields", s.name)
	}
	return s.translate(text, flags+own)
}

// translate compiles a pattern. The option u says what holds anyway.
func (s search) translate(text, flags string) (*regexp.Regexp, error) {
	if strings.Contains(text, "\x00") {
		return nil, mongoerr.New(51109, "%s: regular expression cannot contain an embedded null "+
			"byte", s.name)
	}
	if strings.Trim(flags, "imsxu") != "" {
		return nil, mongoerr.New(51108, "%s invalid flag in regex options: %s", s.name, flags)
	}
	pattern, err := pcre.Compile(text, flags)
	var wrong *pcre.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return nil, mongoerr.New(51111, "Invalid Regex in %s: %s", s.name, wrong.Message)
	case err != nil:
		return nil, mongoerr.Unsupported("%v", err)
	}
	return pattern, nil
}
