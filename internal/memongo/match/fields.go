package match

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// exists is $exists: true.
type exists struct{}

func (t exists) rank() rank                 { return rankExists }
func (t exists) holds(_ *state, v any) bool { return v != value.Missing }

// types is $type. Numbers are by their four codes.
type types []int

func (t types) rank() rank { return rankType }

func (t types) holds(_ *state, v any) bool {
	code := value.TypeCode(v)
	for _, wanted := range t {
		if code == wanted && v != value.Missing {
			return true
		}
	}
	return false
}

// mod is $mod.
type mod struct{ divisor, remainder int64 }

func (t mod) rank() rank { return rankMod }

func (t mod) holds(_ *state, v any) bool {
	dividend, err := truncate(v)
	return err == nil && dividend%t.divisor == t.remainder
}

// size is $size.
type size int

func (t size) rank() rank { return rankSize }
func (t size) whole()     {}

func (t size) holds(_ *state, v any) bool {
	a, ok := v.(bson.A)
	return ok && len(a) == int(t)
}
