package storage

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// clock gives out cluster times, each later than the one before.
type clock struct {
	now      func() time.Time
	last     bson.Timestamp
	observed bson.Timestamp // told by a client; the next one is later
}

// tick returns the next cluster time. Its first part is the second, unless the clock has stepped
// back behind the last one.
func (c *clock) tick() bson.Timestamp {
	c.last = later(c.last, c.observed)
	if second := uint32(c.now().Unix()); second > c.last.T {
		c.last = bson.Timestamp{T: second, I: 1}
	} else {
		c.last.I++
	}
	return c.last
}

func later(a, b bson.Timestamp) bson.Timestamp {
	if b.After(a) {
		return b
	}
	return a
}

// wall returns the time that entries carry beside their cluster time.
func (c *clock) wall() bson.DateTime { return bson.NewDateTimeFromTime(c.now()) }
