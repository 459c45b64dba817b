package templates

import (
	"strings"
	"testing"
	"time"

	"github.com/dave/jennifer/jen"
)

func TestDurationsAreReadable(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-1:                       "X: -1",
		1:                        "X: time.Nanosecond",
		1500 * time.Nanosecond:   "X: 1500 * time.Nanosecond",
		200 * time.Millisecond:   "X: 200 * time.Millisecond",
		1500 * time.Millisecond:  "X: 1500 * time.Millisecond",
		time.Second:              "X: time.Second",
		90 * time.Second:         "X: 90 * time.Second",
		time.Minute:              "X: time.Minute",
		90 * time.Minute:         "X: 90 * time.Minute",
		24 * time.Hour:           "X: 24 * time.Hour",
		30 * 24 * time.Hour:      "X: 30 * 24 * time.Hour",
		25 * time.Hour:           "X: 25 * time.Hour",
		36 * time.Hour:           "X: 36 * time.Hour",
		48*time.Hour + time.Hour: "X: 49 * time.Hour",
	} {
		w := &writer{n: &Names{ByPath: map[string]string{"time": "time"}}}
		w.duration("X", d)
		got := strings.Join(strings.Fields(jen.Add(w.fields...).GoString()), " ")
		if got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
	w := &writer{}
	if w.duration("X", 0); len(w.fields) > 0 {
		t.Error("zero is written")
	}
}
