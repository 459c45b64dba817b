package pipeline

import (
	"errors"
	"maps"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
)

// compiler reads stages.
type compiler struct {
	env    Env
	let    map[string]any // the names of the variables that can be used
	update bool
	facet  bool // inside of a $facet

	// pushed says that a server runs the stage in its other engine, as it does with a $group and
	// a $lookup at the beginning, which tells in a few details.
	pushed bool
}

func newCompiler(env Env) *compiler {
	if env.Vars == nil {
		env.Vars = &expr.Vars{}
	}
	return &compiler{env: env, let: env.Vars.Let}
}

// with returns a compiler for stages that can use more variables.
func (c *compiler) with(names []string) *compiler {
	inner := *c
	inner.let = maps.Clone(c.let)
	if inner.let == nil {
		inner.let = map[string]any{}
	}
	for _, name := range names {
		inner.let[name] = nil
	}
	return &inner
}

// pipeline reads stages. If there is a pipeline beside an error, that is of constants.
func (c *compiler) pipeline(list bson.A) (*Pipeline, error) {
	p := &Pipeline{vars: c.env.Vars}
	var constant *mongoerr.Error // is found while a server optimizes what it has read
	c.pushed = !c.facet && !c.update
	last := ""
	for i, element := range list {
		d, ok := element.(bson.D)
		if !ok {
			return nil, mongoerr.New(mongoerr.TypeMismatch,
				"Each element of the 'pipeline' array must be an object")
		}
		if len(d) != 1 {
			return nil, mongoerr.New(40323,
				"A pipeline stage specification object must contain exactly one field.")
		}
		s, err := c.stage(d[0].Key, d[0].Value, i)
		var ofConstants *expr.ConstantError
		switch {
		case errors.As(err, &ofConstants):
			if constant == nil {
				constant = prefixed("Failed to optimize pipeline", ofConstants.Cause)
			}
		case err != nil:
			return nil, err
		}
		if name := d[0].Key; name == "$sort" && name == last { // a server drops the first one
			p.stages = p.stages[:len(p.stages)-1]
		}
		last = d[0].Key
		p.stages = append(p.stages, s)
		c.pushed = c.pushed && canBePushed(d[0].Key)
	}
	if constant != nil {
		return p, constant
	}
	return p, nil
}

// prefixed says where an error was found.
func prefixed(where string, err *mongoerr.Error) *mongoerr.Error {
	said := *err
	said.Message = where + " :: caused by :: " + err.Message
	return &said
}

// invalid says of which stage an error is, unless it is about constants, which a server finds
// later.
func invalid(name string, err error) error {
	var known *mongoerr.Error
	if isConstant(err) || mongoerr.Is(err, mongoerr.NotImplemented) || !errors.As(err, &known) {
		return err
	}
	return prefixed("Invalid "+name, known)
}

func isConstant(err error) bool {
	var constant *expr.ConstantError
	return errors.As(err, &constant)
}

// expr reads an expression. Those of an update are not optimized.
func (c *compiler) expr(e any) (expr.Expr, error) {
	if c.update {
		return expr.CompileAsIs(e, c.let)
	}
	return expr.CompileIn(e, c.let)
}

// stage reads one stage and checks that it may be where it is.
func (c *compiler) stage(name string, spec any, position int) (stage, error) {
	s, err := c.read(name, spec, position)
	if err != nil && !isConstant(err) {
		return nil, err
	}
	if refused := c.checkPlace(name); refused != nil {
		return nil, refused
	}
	return s, err
}

func (c *compiler) read(name string, spec any, position int) (stage, error) {
	switch name {
	case "$match":
		return c.match(spec)
	case "$project":
		return c.project(spec)
	case "$set", "$addFields":
		return c.addFields(name, spec)
	case "$unset":
		return c.unset(spec)
	case "$replaceRoot":
		return c.replaceRoot(spec)
	case "$replaceWith":
		return c.replaceWith(spec, "'replacement document' ")
	case "$redact":
		return c.redact(spec)
	case "$documents":
		return c.documents(spec, position)
	}
	return c.readSeveral(name, spec)
}

// readSeveral reads the stages that do not map a document to one.
func (c *compiler) readSeveral(name string, spec any) (stage, error) {
	switch name {
	case "$sort":
		return sortStage(spec)
	case "$limit":
		return limit(spec)
	case "$skip":
		return skip(spec)
	case "$count":
		return count(spec)
	case "$group":
		return c.group(spec)
	case "$sortByCount":
		return c.sortByCount(spec)
	case "$unwind":
		return unwind(spec)
	case "$lookup":
		return c.lookup(spec)
	case "$facet":
		return c.facets(spec)
	case "$sample":
		return sample(spec)
	}
	if known, ok := unbuilt(name); ok {
		return nil, c.refuse(name, known)
	}
	return nil, mongoerr.New(mongoerr.UnrecognizedStage, "Unrecognized pipeline stage name: '%s'",
		name)
}

// refuse says of a stage that is not here what a server says where it may not be.
func (c *compiler) refuse(name, inner string) error {
	switch {
	case c.update:
		return refuseInUpdate(inner)
	case name == "$changeStream":
		return mongoerr.New(40602, "%s is only valid as the first stage in a pipeline", inner)
	case c.env.ChangeStream && name != "$fill":
		return refuseInChangeStream(inner)
	}
	return mongoerr.Unsupported("the stage %s", name)
}

// unbuilt reports whether a server has a stage that is not here, and what it makes of it.
func unbuilt(name string) (inner string, ok bool) {
	switch name {
	case "$bucket", "$bucketAuto":
		return "$group", true
	case "$densify":
		return "$sort", true
	case "$setWindowFields":
		return "$_internalSetWindowFields", true
	case "$changeStream":
		return "$_internalChangeStreamOplogMatch", true
	case "$collStats", "$currentOp", "$fill", "$geoNear", "$graphLookup",
		"$indexStats", "$listCatalog", "$listLocalSessions", "$listSessions", "$merge",
		"$operationMetrics", "$out", "$planCacheStats", "$shardedDataDistribution", "$unionWith":
		return name, true
	}
	return "", false
}

// checkPlace refuses stages that an update, a change stream or a facet may not have.
func (c *compiler) checkPlace(name string) error {
	switch {
	case c.update && !mapsOne(name):
		return refuseInUpdate(innerName(name))
	case c.env.ChangeStream && !mapsOne(name) && name != "$match" && name != "$redact":
		return refuseInChangeStream(innerName(name))
	case c.facet && (name == "$facet" || name == "$documents"):
		return mongoerr.New(40600, "%s is not allowed to be used within a $facet stage", name)
	}
	return nil
}

// canBePushed reports whether the next stage is still at the beginning.
func canBePushed(name string) bool {
	switch name {
	case "$match", "$sort", "$limit", "$skip", "$group", "$lookup":
		return true
	}
	return false
}

func mapsOne(name string) bool {
	switch name {
	case "$set", "$addFields", "$unset", "$project", "$replaceRoot", "$replaceWith":
		return true
	}
	return false
}

// innerName is what a server makes of a stage that stands for others.
func innerName(name string) string {
	if name == "$count" || name == "$sortByCount" {
		return "$group"
	}
	return name
}

func refuseInChangeStream(name string) error {
	return mongoerr.New(mongoerr.IllegalOperation,
		"%s is not permitted in a $changeStream pipeline", name)
}

func refuseInUpdate(name string) error {
	return mongoerr.New(mongoerr.InvalidOptions, "%s is not allowed to be used within an update",
		name)
}
