package reader_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/runtime/internal/reader"
	"github.com/fwgen/fwgen/runtime/internal/reader/readertest"
)

func TestErrorsAreClassifiedByCodeAndPhase(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		codes            []int32
		opening, reading reader.Class
	}{
		{[]int32{286, 280, 136, 464, 40576, 40585, 40615}, reader.Lost, reader.Lost},
		{[]int32{260, 9, 15, 40647, 40649, 50811, 50816}, reader.Lost, reader.Transient},
		{[]int32{10334}, reader.Oversized, reader.Oversized},
		{[]int32{47}, reader.ImageMissing, reader.ImageMissing},
		{[]int32{13}, reader.Unauthorized, reader.Unauthorized},
		{[]int32{40324}, reader.Unsupported, reader.Unsupported},
		{ // B056: also those that the driver does not resume by itself
			[]int32{0, 1, 6, 7, 43, 50, 89, 91, 189, 237, 262, 9001, 10107, 11600, 11601, 13435},
			reader.Transient, reader.Transient,
		},
	} {
		for _, code := range test.codes {
			t.Run(fmt.Sprint(code), func(t *testing.T) {
				t.Parallel()
				err := fmt.Errorf("next: %w", readertest.Code(code))
				if got := reader.Classify(err, reader.Opening); got != test.opening {
					t.Errorf("opening: got %s, want %s", got, test.opening)
				}
				if got := reader.Classify(err, reader.Reading); got != test.reading {
					t.Errorf("reading: got %s, want %s", got, test.reading)
				}
			})
		}
	}
}

func TestTextAndLabelsDecideNothing(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"text":     errors.New("ChangeStreamHistoryLost (286): resume token was not found"),
		"label":    mongo.CommandError{Code: 8, Labels: []string{"NonResumableChangeStreamError"}},
		"deadline": context.DeadlineExceeded,
		"name":     mongo.CommandError{Code: 8, Name: "ChangeStreamHistoryLost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := reader.Classify(err, reader.Opening); got != reader.Transient {
				t.Errorf("got %s, want %s", got, reader.Transient)
			}
		})
	}
	resumable := mongo.CommandError{Code: 286, Labels: []string{"ResumableChangeStreamError"}}
	if got := reader.Classify(resumable, reader.Reading); got != reader.Lost {
		t.Errorf("a label outweighs the code: got %s", got)
	}
}
