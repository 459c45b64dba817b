package expr

import (
	"unicode/utf8"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// names are the variables that may be used at a place in an expression, innermost first.
type names struct {
	name  string
	outer *names
}

// with returns a compiler for a place where a variable more can be used.
func (c *compiler) with(name string) *compiler {
	inner := *c
	inner.names = &names{name, c.names}
	return &inner
}

// checkVariable refuses a variable that nobody has set. What a command's let has is known only
// when the expression runs, unless the compiler is strict.
func (c *compiler) checkVariable(name string) error {
	if err := checkRead(name); err != nil {
		return err
	}
	switch name {
	case "ROOT", "CURRENT", "NOW", "CLUSTER_TIME", "REMOVE", "DESCEND", "PRUNE", "KEEP":
		return nil
	case "JS_SCOPE", "IS_MR", "SEARCH_META", "USER_ROLES":
		return mongoerr.Unsupported("the variable $$%s", name)
	}
	for n := c.names; n != nil; n = n.outer {
		if n.name == name {
			return nil
		}
	}
	if _, ok := c.let[name]; ok || !c.strict {
		return nil
	}
	return undefined(name)
}

func undefined(name string) error {
	return mongoerr.New(17276, "Use of undefined variable: %s", name)
}

// checkRead says whether a name can be a variable's.
func checkRead(name string) error {
	return checkName(name, func(c byte) bool { return lower(c) || upper(c) || c >= utf8.RuneSelf })
}

// CheckVariable says whether $let, $map or a command's let can set a variable of that name. Names
// in capitals are the server's.
func CheckVariable(name string) error {
	if name == "CURRENT" {
		return nil
	}
	return checkName(name, func(c byte) bool { return lower(c) || c >= utf8.RuneSelf })
}

func checkName(name string, first func(c byte) bool) error {
	if name == "" {
		return mongoerr.New(mongoerr.FailedToParse, "empty variable names are not allowed")
	}
	if !first(name[0]) {
		return mongoerr.New(mongoerr.FailedToParse,
			"'%s' starts with an invalid character for a user variable name", name)
	}
	for i := range len(name) {
		c := name[i]
		if !lower(c) && !upper(c) && !digit(c) && c != '_' && c < utf8.RuneSelf {
			return mongoerr.New(mongoerr.FailedToParse,
				"'%s' contains an invalid character for a variable name: '%c'", name, c)
		}
	}
	return nil
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }
