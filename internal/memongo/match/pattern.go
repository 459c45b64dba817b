package match

import (
	"errors"
	"regexp"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/pcre"
)

// Codes of what is wrong with a regular expression.
const (
	optionsTwice    = 51075
	invalidPattern  = 51091
	invalidFlag     = 51108
	acceptedOptions = "imsxu"
)

// pattern is $regex. It matches texts, and a regular expression that is the same.
type pattern struct {
	source bson.Regex
	regexp *regexp.Regexp
}

func newPattern(source bson.Regex) (pattern, error) {
	for _, option := range source.Options {
		if !strings.ContainsRune(acceptedOptions, option) {
			return pattern{}, mongoerr.New(invalidFlag, " invalid flag in regex options: %c",
				option)
		}
	}
	compiled, err := pcre.Compile(source.Pattern, source.Options)
	var lacking *pcre.UnsupportedError
	switch {
	case errors.As(err, &lacking):
		return pattern{}, mongoerr.Unsupported("%v", err)
	case err != nil:
		return pattern{}, mongoerr.New(invalidPattern, "Regular expression is invalid: %v", err)
	}
	return pattern{source, compiled}, nil
}

func (t pattern) rank() rank { return rankRegex }

func (t pattern) holds(_ *state, v any) bool {
	switch v := v.(type) {
	case string:
		return t.regexp.MatchString(v)
	case bson.Symbol:
		return t.regexp.MatchString(string(v))
	case bson.Regex:
		return v == t.source
	}
	return false
}

// pattern reads $regex, with the $options that stand beside it.
func (p *parser) pattern(operators bson.D) (test, error) {
	var source bson.Regex
	var options any = ""
	for _, operator := range operators {
		switch operator.Key {
		case "$regex":
			switch v := operator.Value.(type) {
			case string:
				source = bson.Regex{Pattern: v}
			case bson.Regex:
				source = v
			default:
				return nil, badValue("$regex has to be a string")
			}
		case "$options":
			options = operator.Value
		}
	}
	return withOptions(source, operators, options)
}

func withOptions(source bson.Regex, operators bson.D, options any) (test, error) {
	text, ok := options.(string)
	if !ok {
		return nil, badValue("$options has to be a string")
	}
	if given := has(operators, "$options"); given {
		if source.Options != "" {
			return nil, mongoerr.New(optionsTwice, "options set in both $regex and $options")
		}
		source.Options = text
	}
	return newPattern(source)
}
