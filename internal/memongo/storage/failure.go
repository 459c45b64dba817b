package storage

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/match"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// explain says why a document does not match a filter, as a server does for conditions on
// fields, $and and $expr. Of others it tells the condition only.
func explain(filter, doc bson.D, vars *expr.Vars) bson.D {
	clauses := clausesOf(filter)
	if len(clauses) == 1 {
		return explainClause(clauses[0], doc)
	}
	failed := bson.A{}
	for i, clause := range clauses {
		m, err := match.Compile(clause)
		if err != nil {
			continue // it was compiled as a part of the whole
		}
		if ok, err := m.Match(doc, vars); err == nil && !ok {
			failed = append(failed, bson.D{
				{Key: "index", Value: int32(i)},
				{Key: "details", Value: explain(clause, doc, vars)},
			})
		}
	}
	return bson.D{
		{Key: "operatorName", Value: "$and"},
		{Key: "clausesNotSatisfied", Value: failed},
	}
}

// clausesOf takes a filter apart into conditions of one operator.
func clausesOf(filter bson.D) (clauses []bson.D) {
	for _, field := range filter {
		parts, _ := field.Value.(bson.A)
		conditions, _ := field.Value.(bson.D)
		operators := len(conditions) > 0 && strings.HasPrefix(conditions[0].Key, "$")
		switch {
		case field.Key == "$and":
			for _, part := range parts {
				part, _ := part.(bson.D)
				clauses = append(clauses, part)
			}
		case operators && !strings.HasPrefix(field.Key, "$"):
			for i := range conditions {
				clauses = append(clauses, bson.D{{Key: field.Key, Value: conditions[i : i+1]}})
			}
		default:
			clauses = append(clauses, bson.D{field})
		}
	}
	return clauses
}

// explainClause explains one condition.
func explainClause(clause, doc bson.D) bson.D {
	if len(clause) != 1 {
		return bson.D{{Key: "specifiedAs", Value: clause}}
	}
	field, operator := clause[0], "$eq"
	if condition, ok := field.Value.(bson.D); ok && len(condition) > 0 &&
		strings.HasPrefix(condition[0].Key, "$") {
		operator = condition[0].Key
	}
	if field.Key == "$expr" {
		return append(failedClause("$expr", clause, "expression did not match"),
			bson.E{Key: "expressionResult", Value: false})
	}
	reason := failureReason(operator)
	if strings.HasPrefix(field.Key, "$") || reason == "" {
		return bson.D{{Key: "specifiedAs", Value: clause}}
	}
	considered := value.Lookup(doc, strings.Split(field.Key, ".")...)
	array, several := considered.(bson.A)
	switch {
	case operator == "$exists":
		return failedClause(operator, clause, reason)
	case considered == value.Missing:
		return failedClause(operator, clause, "field was missing")
	case several:
		return append(failedClause(operator, clause, reason),
			bson.E{Key: "consideredValues", Value: array})
	}
	details := append(failedClause(operator, clause, reason),
		bson.E{Key: "consideredValue", Value: considered})
	if operator == "$type" {
		details = append(details, bson.E{Key: "consideredType", Value: value.TypeName(considered)})
	}
	return details
}

func failedClause(operator string, clause bson.D, reason string) bson.D {
	return bson.D{
		{Key: "operatorName", Value: operator},
		{Key: "specifiedAs", Value: clause},
		{Key: "reason", Value: reason},
	}
}

func failureReason(operator string) string {
	switch operator {
	case "$eq", "$gt", "$gte", "$lt", "$lte":
		return "comparison failed"
	case "$ne":
		return "comparison succeeded"
	case "$type":
		return "type did not match"
	case "$in":
		return "no matching value found in array"
	case "$exists":
		return "path does not exist"
	}
	return ""
}
