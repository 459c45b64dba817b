package update

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// compileOperators orders the operators by their paths.
func compileOperators(operators bson.D, o Options) (*Update, error) {
	b := builder{
		root:    &node{},
		filters: make(map[string]*match.ElementMatcher, len(o.ArrayFilters)),
		used:    make(map[string]bool, len(o.ArrayFilters)),
	}
	identifiers, err := b.compileFilters(o.ArrayFilters)
	if err != nil {
		return nil, err
	}
	for _, operator := range operators {
		if err := b.compileOperator(operator); err != nil {
			return nil, err
		}
	}
	for _, identifier := range identifiers {
		if !b.used[identifier] {
			return nil, mongoerr.New(mongoerr.FailedToParse, "The array filter for identifier "+
				"'%s' was not used in the update %s", identifier, value.Show(operators))
		}
	}
	return &Update{operators: b.root, filters: b.filters}, nil
}

func (b *builder) compileFilters(filters []bson.D) (identifiers []string, err error) {
	for _, filter := range filters {
		identifier, m, err := match.CompileArrayFilter(filter)
		if err != nil {
			return nil, err
		}
		if b.filters[identifier] != nil {
			return nil, mongoerr.New(mongoerr.FailedToParse,
				"Found multiple array filters with the same top-level field name %s", identifier)
		}
		b.filters[identifier] = m
		identifiers = append(identifiers, identifier)
	}
	return identifiers, nil
}

// compileOperator reads the fields of one operator.
func (b *builder) compileOperator(operator bson.E) error {
	if !known(operator.Key) {
		return mongoerr.New(mongoerr.FailedToParse, "Unknown modifier: %s. Expected a valid "+
			"update modifier or pipeline-style update specified as an array", operator.Key)
	}
	fields, ok := operator.Value.(bson.D)
	if !ok {
		return mongoerr.New(mongoerr.FailedToParse, "Modifiers operate on fields but we found "+
			"type %s instead. For example: {$mod: {<field>: ...}} not {%s: %s}",
			value.TypeName(operator.Value), operator.Key, value.Show(operator.Value))
	}
	for _, field := range fields {
		if err := b.compileField(operator.Key, field); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) compileField(name string, field bson.E) error {
	if name == "$rename" {
		return b.addRename(field)
	}
	p, err := parsePath(field.Key)
	if err != nil {
		return err
	}
	l, err := parseLeaf(name, field)
	if err != nil {
		return err
	}
	return b.add(p, l)
}

func known(operator string) bool {
	switch operator {
	case "$set", "$setOnInsert", "$unset", "$rename", "$inc", "$mul", "$min", "$max", "$bit",
		"$currentDate", "$push", "$addToSet", "$pull", "$pullAll", "$pop":
		return true
	}
	return false
}

// parseLeaf reads what a known operator does with a field.
func parseLeaf(name string, field bson.E) (l *leaf, err error) {
	l = &leaf{}
	switch name {
	case "$setOnInsert":
		l.onInsert = true
	case "$unset":
		l.absent = ignores
	case "$pull", "$pullAll", "$pop":
		l.absent = needs
	}
	l.op, err = parseOperator(name, field.Key, field.Value)
	return l, err
}

func parseOperator(name, field string, arg any) (operator, error) {
	switch name {
	case "$set", "$setOnInsert":
		return set{arg}, nil
	case "$unset":
		return unset{}, nil
	case "$inc":
		return parseInc(field, arg)
	case "$mul":
		return parseMul(field, arg)
	case "$min":
		return bound{arg, 1}, nil
	case "$max":
		return bound{arg, -1}, nil
	case "$bit":
		return parseBit(arg)
	case "$currentDate":
		return parseCurrentDate(arg)
	case "$push":
		return parsePush(arg)
	case "$addToSet":
		return parseAddToSet(arg)
	case "$pull":
		return parsePull(arg)
	case "$pullAll":
		return parsePullAll(arg)
	case "$pop":
		return parsePop(field, arg)
	}
	return nil, fmt.Errorf("update: %s is not a known operator", name)
}
