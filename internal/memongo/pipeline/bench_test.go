package pipeline_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/expr"
	"github.com/fwgen/fwgen/internal/memongo/pipeline"
)

// lease is the update that takes or renews a lease.
func lease() bson.A {
	me := d("$literal", "me")
	granted := bson.A{
		d("$lte", bson.A{d("$ifNull", bson.A{"$expiresAt", nil}), "$$NOW"}),
		d("$eq", bson.A{d("$ifNull", bson.A{"$owner", nil}), nil}),
		d("$eq", bson.A{"$owner", me}),
	}
	taken := d("$and", bson.A{"$_g", d("$not", bson.A{"$_m"})})
	next := d("$add", bson.A{d("$ifNull", bson.A{"$term", int64(0)}), int64(1)})
	return bson.A{
		d("$set", bson.D{{Key: "_g", Value: d("$or", granted)},
			{Key: "_m", Value: d("$eq", bson.A{"$owner", me})}}),
		d("$set", bson.D{
			{Key: "owner", Value: d("$cond", bson.A{"$_g", me, "$owner"})},
			{Key: "term", Value: d("$cond", bson.A{taken, next, "$term"})},
			{Key: "acquiredAt", Value: d("$cond", bson.A{taken, "$$NOW", "$acquiredAt"})},
			{Key: "expiresAt", Value: d("$cond", bson.A{"$_g",
				d("$add", bson.A{"$$NOW", int32(700)}), "$expiresAt"})},
		}),
		d("$unset", bson.A{"_g", "_m"}),
	}
}

func BenchmarkLease(b *testing.B) {
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			if _, err := pipeline.CompileUpdate(lease(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("run", func(b *testing.B) {
		p, err := pipeline.CompileUpdate(lease(), nil)
		if err != nil {
			b.Fatal(err)
		}
		doc := bson.D{{Key: "_id", Value: "s"}, {Key: "owner", Value: "other"},
			{Key: "term", Value: int64(3)}, {Key: "acquiredAt", Value: bson.DateTime(1)},
			{Key: "expiresAt", Value: bson.DateTime(2)}}
		for b.Loop() {
			if _, _, err := p.Each(doc, &expr.Vars{Now: 5}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
