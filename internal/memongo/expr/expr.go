package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// Expr is a compiled expression.
type Expr interface {
	// Eval returns the value for a document, value.Missing where there is none.
	Eval(v *Vars) (any, error)
}

// Compile reads an expression. A variable that it does not know is looked up in [Vars.Let].
func Compile(e any) (Expr, error) {
	c := &compiler{}
	return c.compile(e)
}

// compiler carries what is known while an expression is read.
type compiler struct{}

func (c *compiler) compile(e any) (Expr, error) {
	switch e := e.(type) {
	case string:
		if strings.HasPrefix(e, "$") {
			return c.path(e)
		}
	case bson.D:
		if len(e) > 0 && strings.HasPrefix(e[0].Key, "$") {
			return c.operator(e)
		}
		return c.object(e)
	case bson.A:
		return c.array(e)
	}
	return constant{e}, nil
}

func (c *compiler) operator(e bson.D) (Expr, error) {
	if e[0].Key == "$literal" {
		return constant{e[0].Value}, nil
	}
	return nil, mongoerr.Unsupported("the expression %s", e[0].Key)
}

// constant is a value that is known when the expression is read.
type constant struct{ value any }

func (c constant) Eval(*Vars) (any, error) { return c.value, nil }
