package expr

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Expr is a compiled expression.
type Expr interface {
	// Eval returns the value for a document, value.Missing where there is none.
	Eval(v *Vars) (any, error)
}

// Compile reads an expression. A variable that it does not know is looked up in [Vars.Let].
//
// With a [ConstantError], and no other, there is an expression, which fails if it is evaluated.
func Compile(e any) (Expr, error) {
	return compile(e, &compiler{folding: new(folding)})
}

// CompileIn reads an expression in a command whose let is known: another variable is 17276.
func CompileIn(e any, let map[string]any) (Expr, error) {
	return compile(e, &compiler{folding: new(folding), let: let, strict: true})
}

// CompileAsIs reads an expression of what a server does not optimize: the operands stay in their
// order, and what cannot be worked out fails when it is evaluated.
func CompileAsIs(e any, let map[string]any) (Expr, error) {
	return compile(e, &compiler{folding: new(folding), let: let, strict: true, asIs: true})
}

func compile(e any, c *compiler) (Expr, error) {
	x, err := c.compile(e)
	if err != nil {
		return nil, err
	}
	return x, c.folding.err()
}

// compiler carries what is known while an expression is read.
type compiler struct {
	names   *names // variables of $let, $map and their like
	let     map[string]any
	strict  bool // other variables are refused
	asIs    bool // nothing is optimized
	folding *folding
}

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

// compileAll reads several expressions.
func (c *compiler) compileAll(es bson.A) ([]Expr, error) {
	compiled := make([]Expr, len(es))
	for i, e := range es {
		x, err := c.compile(e)
		if err != nil {
			return nil, err
		}
		compiled[i] = x
	}
	return compiled, nil
}

// operator reads {$name: argument}.
func (c *compiler) operator(e bson.D) (Expr, error) {
	if len(e) != 1 {
		return nil, mongoerr.New(15983,
			"An object representing an expression must have exactly one field: %s", value.Show(e))
	}
	name := e[0].Key
	for _, family := range families() {
		if read := family(name); read != nil {
			return read(c, name, e[0].Value)
		}
	}
	if unbuilt(name) {
		return nil, mongoerr.Unsupported("the expression %s", name)
	}
	return nil, mongoerr.New(mongoerr.InvalidPipelineOperator,
		"Unrecognized expression '%s'", name)
}

// reader reads an operator's argument.
type reader func(c *compiler, name string, argument any) (Expr, error)

// families are the groups of operators; each answers nil for a name that is not its own.
func families() []func(name string) reader {
	return []func(string) reader{
		logic, comparisons, arithmetic, mathematics, extremes, texts, patterns, types, arrays,
		loops, sets, objects, fields, dates, dateParts, timestamps,
	}
}

// unbuilt reports whether a server has an operator that is not here.
func unbuilt(name string) bool {
	switch name {
	case "$acos", "$acosh", "$asin", "$asinh", "$atan", "$atan2", "$atanh", "$cos", "$cosh",
		"$degreesToRadians", "$radiansToDegrees", "$sin", "$sinh", "$tan", "$tanh",
		"$covariancePop", "$stdDevPop", "$stdDevSamp", "$dateFromParts", "$dateToParts",
		"$function", "$meta", "$sampleRate", "$binarySize", "$_internalJsEmit",
		"$_internalFindSlice", "$_internalFindPositional", "$_internalFindElemMatch",
		"$_testApiVersion":
		return true
	}
	return false
}
