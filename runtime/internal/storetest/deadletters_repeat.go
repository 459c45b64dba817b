package storetest

import (
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/store"
)

var repeatTests = []letterTest{
	{"ARepeatKeepsItsCreationAndAddsTheAttempt", func(d *letters) {
		fence := d.lead(1)
		d.write(fence, failed(1))
		created := d.row().Lookup("createdAt")
		time.Sleep(5 * time.Millisecond)
		again := failed(2)
		again.Error.Message = "again"
		again.FullDocumentBeforeChange = bson.RawValue{}
		d.write(fence, again)
		row := d.row()
		d.mustHave(row, bson.D{
			{Key: "createdAt", Value: created},
			{Key: "status", Value: "PENDING"},
			{Key: "attempts", Value: int32(2)},
			{Key: "error/message", Value: "again"},
			{Key: "history/0/message", Value: "$no"},
			{Key: "history/1/message", Value: "again"},
		})
		if value, err := row.LookupErr("fullDocumentBeforeChange"); err == nil {
			d.Errorf("fullDocumentBeforeChange = %v of an attempt that has none", value)
		}
	}},

	{"AWriteCanBeRepeated", func(d *letters) {
		fence := d.lead(1)
		for range 3 {
			d.write(fence, failed(1))
		}
		if n := len(d.history(d.row())); n != 1 {
			d.Errorf("%d attempts in the history, want 1", n)
		}
	}},

	{"TheHistoryHasTheLastTenAttempts", func(d *letters) {
		fence := d.lead(1)
		for attempt := 1; attempt <= 13; attempt++ {
			d.write(fence, failed(attempt))
		}
		row := d.row()
		if n := len(d.history(row)); n != 10 {
			d.Fatalf("%d attempts in the history, want 10", n)
		}
		d.mustHave(row, bson.D{
			{Key: "history/0/at", Value: instant(1 + 4)},
			{Key: "history/9/at", Value: instant(1 + 13)},
		})
	}},

	{"ANewRowHasTheWholeHistoryOfItsDelivery", func(d *letters) {
		fence := d.lead(1)
		for range 2 { // the second one is a repeat
			d.write(fence, failedTimes(3))
		}
		row := d.row()
		if n := len(d.history(row)); n != 3 {
			d.Fatalf("%d attempts in the history, want 3", n)
		}
		d.mustHave(row, bson.D{
			{Key: "history/0/at", Value: instant(1 + 1)},
			{Key: "history/0/message", Value: "attempt 1"},
			{Key: "history/1/message", Value: "attempt 2"},
			{Key: "history/2/at", Value: instant(1 + 3)},
			{Key: "history/2/message", Value: "$no"},
		})
	}},

	{"ALaterDeliveryAddsItsLastAttempt", func(d *letters) {
		fence := d.lead(1)
		d.write(fence, failedTimes(2))
		d.write(fence, failedTimes(4))
		row := d.row()
		if n := len(d.history(row)); n != 3 {
			d.Fatalf("%d attempts in the history, want 3", n)
		}
		d.mustHave(row, bson.D{
			{Key: "history/1/at", Value: instant(1 + 2)},
			{Key: "history/2/at", Value: instant(1 + 4)},
		})
	}},

	{"ADeadLetterThatIsNotPendingKeepsItsContent", func(d *letters) {
		if d.SetStatus == nil {
			d.Skip("no way to change the status")
		}
		fence := d.lead(1)
		d.write(fence, failed(1))
		for i, status := range []string{"REPLAYING", "RESOLVED", "DISCARDED"} {
			require(d.T, d.SetStatus(d.ctx, letterCollection, letterID, status))
			before := d.row()
			again := failed(2 + i)
			again.Error.Message, again.Term = "again", 9
			again.Retention = time.Hour
			again.FullDocumentBeforeChange, again.Txn = bson.RawValue{}, nil
			d.write(fence, again)
			row := d.row()
			for _, field := range elements(before) {
				if field.Key() == "history" {
					continue
				}
				if got := row.Lookup(field.Key()); !got.Equal(field.Value()) {
					d.Errorf("%s: %s = %v, was %v", status, field.Key(), got, field.Value())
				}
			}
			if n := len(d.history(row)); n != 2+i {
				d.Errorf("%s: %d attempts in the history, want %d", status, n, 2+i)
			}
		}
	}},

	{"DeadLettersAreApart", func(d *letters) {
		fence := d.lead(1)
		d.write(fence, failed(1))
		before := d.row()
		other := failed(2)
		other.ID += "0"
		d.write(fence, other)
		if row := d.row(); !sameBytes(row, before) {
			d.Errorf("the row changed to %v", row)
		}
	}},

	{"RetentionIsCountedFromTheWrite", func(d *letters) {
		d.write(d.lead(1), failed(1))
		row := d.row()
		kept := row.Lookup("expiresAt").Time().Sub(row.Lookup("createdAt").Time())
		if kept != month {
			d.Errorf("kept for %v, want %v", kept, month)
		}
	}},

	{"NegativeRetentionKeepsForEver", func(d *letters) {
		letter := failed(1)
		letter.Retention = -1
		d.write(d.lead(1), letter)
		d.mustHave(d.row(), bson.D{{Key: "expiresAt", Value: nil}})
	}},

	{"LettersOfManyCallersAreAllStored", func(d *letters) {
		fence := d.lead(1)
		errs := make(chan error)
		for i := range 8 {
			go func() {
				letter := failed(i)
				errs <- d.Write(d.ctx, fence, letter)
			}()
		}
		for range 8 {
			require(d.T, <-errs)
		}
		if n := len(d.history(d.row())); n != 8 {
			d.Errorf("%d attempts in the history, want 8", n)
		}
	}},
}

// failedTimes is a dead letter after some attempts, which it tells of.
func failedTimes(attempts int) store.DeadLetter {
	letter := failed(attempts)
	for n := 1; n <= attempts; n++ {
		letter.History = append(letter.History, store.FailedAttempt{
			At: instant(1 + n), Kind: "handler", Message: fmt.Sprintf("attempt %d", n),
		})
	}
	letter.History[attempts-1].Message = letter.Error.Message
	return letter
}

func elements(row bson.Raw) []bson.RawElement {
	elements, err := row.Elements()
	if err != nil {
		panic(err)
	}
	return elements
}

func sameBytes(a, b bson.Raw) bool { return string(a) == string(b) }
