package memongo_test

import (
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo"
)

func TestSessionsThatNobodyUsesAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, memongo.Options{})
		client := connect(t, s)
		command := func(id byte) {
			lsid := bson.Binary{Subtype: bson.TypeBinaryUUID, Data: make([]byte, 16)}
			lsid.Data[0] = id
			if _, err := run(t, client, bson.D{
				{Key: "refreshSessions", Value: bson.A{d("id", lsid)}},
			}); err != nil {
				t.Fatal(err)
			}
		}
		for id := range byte(100) {
			command(id)
		}
		before := s.Sessions()
		time.Sleep(31 * time.Minute)
		command(200)
		if after := s.Sessions(); before < 100 || after > 3 {
			t.Errorf("%d sessions, and after half an hour %d", before, after)
		}
	})
}
