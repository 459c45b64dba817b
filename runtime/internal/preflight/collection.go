package preflight

import (
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Collection says whether a collection exists, and if not, which names are near. What can't be
// found out counts as existing.
func Collection(ctx context.Context, db *mongo.Database, name string) (exists bool, near []string) {
	names, err := db.ListCollectionNames(ctx, bson.D{})
	if err != nil || slices.Contains(names, name) {
		return true, nil
	}
	slices.Sort(names)
	return false, slices.DeleteFunc(names, func(other string) bool { return !alike(name, other) })
}

// alike reports whether one name was probably meant to be the other: the same but for case, or at
// most two edits apart, of names long enough for that to say something.
func alike(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	edits := 1 + min(len(a), len(b))/5
	return distance(strings.ToLower(a), strings.ToLower(b)) <= min(edits, 2)
}

// distance is the number of characters to insert, remove or replace that makes a into b.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			replace := diagonal
			if r != s {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
