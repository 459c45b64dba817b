package templates

import (
	"strconv"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/fwgen/fwgen/internal/model"
)

// writer collects the fields of a literal. A zero value is not written.
type writer struct {
	n      *Names
	fields []jen.Code
}

func (w *writer) add(name string, value jen.Code) {
	w.fields = append(w.fields, field(name, value))
}

func (w *writer) text(name, value string) {
	if value != "" {
		w.add(name, jen.Lit(value))
	}
}

func (w *writer) texts(name string, values []string) {
	var list []jen.Code
	for _, v := range values {
		list = append(list, jen.Lit(v))
	}
	if len(list) > 0 {
		w.add(name, jen.Index().String().Add(inline(list)))
	}
}

func (w *writer) integer(name string, value int) {
	if value != 0 {
		w.add(name, jen.Lit(value))
	}
}

func (w *writer) float(name string, value float64) {
	if value != 0 {
		w.add(name, jen.Id(strconv.FormatFloat(value, 'f', -1, 64)))
	}
}

func (w *writer) flag(name string, value bool) {
	if value {
		w.add(name, jen.True())
	}
}

func (w *writer) nested(name, typ string, fields []jen.Code) {
	if len(fields) > 0 {
		w.add(name, w.n.fw(typ).Add(inline(fields)))
	}
}

func (w *writer) matches(name string, list []model.Match) {
	if len(list) > 0 {
		w.add(name, matches(w.n, list))
	}
}

func matches(n *Names, list []model.Match) jen.Code {
	var items []jen.Code
	for _, m := range list {
		if m.Value != nil {
			items = append(items, n.fw("MatchValue").Call(n.object(m.Value)))
		} else {
			items = append(items, n.fw("MatchType").Index(n.typed(m.Type)).Call())
		}
	}
	return jen.Index().Add(n.fw("ErrorMatch")).Add(inline(items))
}

// units are what a duration is written in, the longest first.
var units = []struct {
	size time.Duration
	name string
}{
	{time.Hour, "Hour"},
	{time.Minute, "Minute"},
	{time.Second, "Second"},
	{time.Millisecond, "Millisecond"},
	{time.Microsecond, "Microsecond"},
	{time.Nanosecond, "Nanosecond"},
}

const day = 24 * time.Hour

// duration writes a duration the way a person would: 30 * 24 * time.Hour. A negative one is a mark
// for "never", and a plain number.
func (w *writer) duration(name string, d time.Duration) {
	if d == 0 {
		return
	}
	if d < 0 {
		w.add(name, jen.Lit(int(d)))
		return
	}
	product := func(factors ...int) *jen.Statement {
		s := &jen.Statement{}
		for _, f := range factors {
			s.Lit(f).Op("*")
		}
		return s
	}
	for _, u := range units {
		unit := jen.Id(w.n.ByPath["time"]).Dot(u.name)
		switch count := int(d / u.size); {
		case d%u.size != 0:
			continue
		case d%day == 0 && d > day:
			w.add(name, product(int(d/day), int(day/time.Hour)).Add(unit))
		case count == 1:
			w.add(name, unit)
		default:
			w.add(name, product(count).Add(unit))
		}
		return
	}
}
