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
	optionsFirst    = 51074
	optionsLast     = 51075
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

// pattern reads $regex, with the $options that stand beside it, in any order.
func (p *parser) pattern(operators bson.D) (test, error) {
	var source bson.Regex
	for _, operator := range operators {
		var err error
		switch operator.Key {
		case "$regex":
			err = setPattern(&source, operator.Value)
		case "$options":
			err = setOptions(&source, operator.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	return newPattern(source)
}

func setPattern(source *bson.Regex, v any) error {
	switch v := v.(type) {
	case string:
		source.Pattern = v
	case bson.Regex:
		if v.Options != "" && source.Options != "" {
			return mongoerr.New(optionsFirst, "options set in both $regex and $options")
		}
		*source = bson.Regex{Pattern: v.Pattern, Options: source.Options + v.Options}
	default:
		return badValue("$regex has to be a string")
	}
	return nil
}

func setOptions(source *bson.Regex, v any) error {
	options, ok := v.(string)
	if !ok {
		return badValue("$options has to be a string")
	}
	if source.Options != "" {
		return mongoerr.New(optionsLast, "options set in both $regex and $options")
	}
	source.Options = options
	return nil
}
