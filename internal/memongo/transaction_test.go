package memongo_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/fwgen/fwgen/internal/memongo"
)

// The detector of races sees here what answers would rarely show.
func TestATransactionIsCommittedOrAbortedByAStepDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, memongo.Options{})
		client := connect(t, s, options.Client().SetDirect(true))
		c := client.Database("d").Collection("c")
		mustInsert(t, c, d("_id", "before"))
		for range 10 {
			var clients sync.WaitGroup
			for range 8 {
				clients.Go(func() { commitBesideAStepDown(t, c) })
			}
			time.Sleep(time.Second) // all are about to commit
			if err := s.StepDown(time.Second); err != nil {
				t.Fatal(err)
			}
			clients.Wait()
		}
	})
}

// commitBesideAStepDown commits a transaction after a second, and asks once more when the
// step-down is over.
func commitBesideAStepDown(t *testing.T, c *mongo.Collection) {
	err := c.Database().Client().UseSession(t.Context(), func(ctx context.Context) error {
		session := mongo.SessionFromContext(ctx)
		if err := session.StartTransaction(); err != nil {
			return err
		}
		one, err := c.InsertOne(ctx, d("a", 1))
		if err != nil {
			return err
		}
		time.Sleep(time.Second)
		committed := session.CommitTransaction(ctx)
		time.Sleep(2 * time.Second)
		if committed == nil {
			committed = session.CommitTransaction(ctx)
		}
		n, err := c.CountDocuments(t.Context(), d("_id", one.InsertedID))
		if (n == 1) != (committed == nil) {
			t.Errorf("the commit says %v, and there are %d documents", committed, n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
