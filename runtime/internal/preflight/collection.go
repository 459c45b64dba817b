package preflight

import (
	"context"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Found is what a database has under a name.
type Found struct {
	Kind string   // collection, view or timeseries; "" if there is nothing
	Near []string // names that are near, if there is nothing
}

// Collection looks a name up. What can't be found out counts as a collection.
func Collection(ctx context.Context, db *mongo.Database, name string) Found {
	all, err := db.ListCollectionSpecifications(ctx, bson.D{})
	if err != nil {
		return Found{Kind: "collection"}
	}
	var near []string
	for _, other := range all {
		switch {
		case other.Name == name:
			return Found{Kind: other.Type}
		case alike(name, other.Name):
			near = append(near, other.Name)
		}
	}
	slices.Sort(near)
	return Found{Near: near}
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
