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
	u := &Update{operators: &node{}}
	if err := u.compileFilters(o.ArrayFilters); err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, operator := range operators {
		if err := u.compileOperator(operator, used); err != nil {
			return nil, err
		}
	}
	for _, filter := range o.ArrayFilters {
		identifier, _, _ := match.CompileArrayFilter(filter) // it was compiled before
		if !used[identifier] {
			return nil, mongoerr.New(mongoerr.FailedToParse, "The array filter for identifier "+
				"'%s' was not used in the update %s", identifier, value.Show(operators))
		}
	}
	return u, nil
}

func (u *Update) compileFilters(filters []bson.D) error {
	u.filters = make(map[string]*match.ElementMatcher, len(filters))
	for _, filter := range filters {
		identifier, m, err := match.CompileArrayFilter(filter)
		if err != nil {
			return err
		}
		if u.filters[identifier] != nil {
			return mongoerr.New(mongoerr.FailedToParse,
				"Found multiple array filters with the same top-level field name %s", identifier)
		}
		u.filters[identifier] = m
	}
	return nil
}

// compileOperator reads the fields of one operator.
func (u *Update) compileOperator(operator bson.E, used map[string]bool) error {
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
		if err := u.compileField(operator.Key, field, used); err != nil {
			return err
		}
	}
	return nil
}

func (u *Update) compileField(name string, field bson.E, used map[string]bool) error {
	if name == "$rename" {
		return u.operators.addRename(field)
	}
	p, err := parsePath(field.Key)
	if err != nil {
		return err
	}
	l, err := parseLeaf(name, field)
	if err != nil {
		return err
	}
	for _, part := range p {
		identifier, ok := arrayFilter(part)
		if !ok || identifier == "" {
			continue
		}
		if u.filters[identifier] == nil {
			return mongoerr.New(mongoerr.BadValue,
				"No array filter found for identifier '%s' in path '%s'", identifier, p)
		}
		used[identifier] = true
	}
	return u.operators.add(p, l)
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
