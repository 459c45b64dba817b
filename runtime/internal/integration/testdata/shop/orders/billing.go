package orders

import (
	"encoding/json"
	"errors"
	"os"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Billing writes what it does into a file, a line of JSON for each effect.
type Billing struct {
	Journal  *os.File
	attempts map[bson.ObjectID]int
}

// bill does what the status of an order asks for.
func (b *Billing) bill(o *Order) error {
	if b.attempts == nil {
		b.attempts = map[bson.ObjectID]int{}
	}
	b.attempts[o.ID]++
	switch {
	case o.Status == "failing":
		return errors.New("the bank is closed")
	case o.Status == "invalid":
		return ErrInvalid
	case o.Status == "panicking":
		panic("no such customer")
	case o.Status == "flaky" && b.attempts[o.ID] < 3:
		return errors.New("the line is busy")
	}
	return b.note("insert", o.ID, 0, b.attempts[o.ID])
}

func (b *Billing) note(operation string, id bson.ObjectID, term int64, attempt int) error {
	line, err := json.Marshal(map[string]any{
		"At": time.Now(), "PID": os.Getpid(), "Stream": operation, "Key": id.Hex(),
		"Term": term, "Attempt": attempt,
	})
	if err == nil {
		_, err = b.Journal.Write(append(line, '\n'))
	}
	return err
}
