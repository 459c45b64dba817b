package conformance

import (
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// compare says how an answer differs from the fields that are wanted, or "".
func compare(answer, want bson.D) string {
	var differences []string
	if lookup(want, "code") == (missing{}) && lookup(want, "ok") == (missing{}) {
		want = append(bson.D{{Key: "ok", Value: 1.0}}, want...)
	}
	if lookup(want, "writeErrors") == (missing{}) {
		if errors := lookup(answer, "writeErrors"); errors != (missing{}) {
			differences = append(differences, "there are write errors")
		}
	}
	for _, e := range want {
		differences = append(differences, compareField(e.Key, lookup(answer, e.Key), e.Value)...)
	}
	return strings.Join(differences, "\n")
}

// compareWhole says how an answer differs from the whole one that is wanted, or "". What every
// answer of a member of a replica set has is left out.
func compareWhole(answer, want bson.D) string {
	everywhere := []string{"$clusterTime", "operationTime", "electionId", "opTime"}
	rest := slices.DeleteFunc(slices.Clone(answer), func(e bson.E) bool {
		return slices.Contains(everywhere, e.Key)
	})
	if got, wanted := show(rest), show(want); got != wanted {
		return fmt.Sprintf("it is\n\t%s\nnot\n\t%s", got, wanted)
	}
	return ""
}

// compareField compares what an answer has under a name. Some of it is open for more fields.
func compareField(name string, got, want any) (differences []string) {
	switch name {
	case "cursor", "writeConcernError":
		return compareOpen(name, got, want)
	case "writeErrors":
		list, _ := got.(bson.A)
		wanted, _ := want.(bson.A)
		if len(list) != len(wanted) {
			return []string{fmt.Sprintf("%d write errors, not %d", len(list), len(wanted))}
		}
		for i := range list {
			differences = append(differences, compareOpen(name, list[i], wanted[i])...)
		}
		return differences
	}
	if got == (missing{}) {
		return []string{fmt.Sprintf("%s is missing", name)}
	}
	if g, w := show(got), show(want); g != w {
		return []string{fmt.Sprintf("%s is\n\t%s\nnot\n\t%s", name, g, w)}
	}
	return nil
}

// compareOpen compares a document that may have more fields than are wanted.
func compareOpen(name string, got, want any) (differences []string) {
	document, ok := got.(bson.D)
	fields, _ := want.(bson.D)
	if !ok {
		return []string{fmt.Sprintf("%s is %v, not a document", name, got)}
	}
	for _, e := range fields {
		field := name + "." + e.Key
		differences = append(differences,
			compareField(field, lookup(document, e.Key), e.Value)...)
	}
	return differences
}
