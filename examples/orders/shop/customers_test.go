package shop_test

import (
	"fmt"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/examples/orders/shop"
	"github.com/fwgen/fwgen/runtime/fwtest"
)

func TestClusterTimeIsReadFromTheEventID(t *testing.T) {
	t.Parallel()
	want := bson.Timestamp{T: 1764530400, I: 17}
	if got := shop.ClusterTime("1764530400.17-00ff00ff00ff00ff"); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOrdersAreFoundByTheirEvents(t *testing.T) {
	t.Parallel()
	db := fwtest.NewClient(t).Database("shop")
	stream, err := db.Collection("orders").Watch(t.Context(), bson.A{})
	if err != nil {
		t.Fatal(err)
	}
	customers := shop.NewCustomers(db)
	for _, kind := range []shop.Kind{shop.Plain, shop.Unreadable} {
		order, err := customers.Order(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		if !stream.Next(t.Context()) {
			t.Fatal(stream.Err())
		}
		seconds, n := stream.Current.Lookup("clusterTime").Timestamp()
		event := fmt.Sprintf("%d.%d-0123456789abcdef", seconds, n)
		if got := customers.Of(event); got != order {
			t.Errorf("the event of %s is taken for that of %q", order, got)
		}
	}
	if err := stream.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
