package token_test

import (
	"cmp"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/fwgen/fwgen/internal/memongo/token"
)

// position is what decides a token's place, in this order.
type position struct {
	ts         bson.Timestamp
	event      bool
	txn        int
	invalidate bool
	fragment   int
}

func (p position) compare(o position) int {
	return cmp.Or(cmp.Compare(p.ts.T, o.ts.T), cmp.Compare(p.ts.I, o.ts.I),
		compareBools(p.event, o.event), cmp.Compare(p.txn, o.txn),
		compareBools(p.invalidate, o.invalidate), cmp.Compare(p.fragment, o.fragment))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// token makes the position's token. Whose event it is follows from the position alone, as in an
// oplog, where no two events have the same one.
func (p position) token(version int, keys []any) token.Token {
	tok := token.HighWater(p.ts)
	tok.Version = version
	if !p.event {
		return tok
	}
	tok.Kind, tok.TxnIndex, tok.FromInvalidate = token.Event, p.txn, p.invalidate
	choice := int(p.ts.T+p.ts.I*7) + p.txn
	tok.UUID = token.UUID(slices.Repeat([]byte{byte(choice * 91)}, 16))
	key := bson.D{{Key: "_id", Value: keys[choice%len(keys)]}}
	switch {
	case p.invalidate:
	case version == token.Splitting:
		tok.ID, tok.Fragment = token.Operation("insert", "documentKey", key), p.fragment
	default:
		tok.ID = token.DocumentKey(key)
	}
	return tok
}

func drawPosition(t *rapid.T, version int) position {
	small := rapid.SampledFrom([]uint32{0, 1, 2, 127, 128, 1 << 16, 1<<32 - 1})
	p := position{ts: bson.Timestamp{T: small.Draw(t, "T"), I: small.Draw(t, "I")}}
	if p.event = rapid.Bool().Draw(t, "event"); !p.event {
		return p
	}
	p.txn = rapid.SampledFrom([]int{0, 1, 2, 63, 64, 127, 128, 300, 70000}).Draw(t, "txn")
	if p.invalidate = rapid.IntRange(0, 9).Draw(t, "invalidate") == 0; p.invalidate {
		return p
	}
	if version == token.Splitting {
		p.fragment = rapid.IntRange(0, 3).Draw(t, "fragment")
	}
	return p
}

func TestTokensSortAsTheirPositions(t *testing.T) {
	t.Parallel()
	keys := []any{"a", "", int32(-7), 2.5, bson.D{{Key: "x", Value: bson.A{true}}}, nil}
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.SampledFrom([]int{token.Plain, token.Splitting}).Draw(t, "version")
		a, b := drawPosition(t, version), drawPosition(t, version)
		x, y := a.token(version, keys), b.token(version, keys)
		if got, want := cmp.Compare(x.Hex(), y.Hex()), a.compare(b); got != want {
			t.Fatalf("tokens compare as %d, positions as %d:\n%+v %s\n%+v %s",
				got, want, a, x.Hex(), b, y.Hex())
		}
		if p, q := a, b; p.event && q.event {
			p.fragment, q.fragment = 0, 0
			if got := x.ComparePlace(y); got != p.compare(q) {
				t.Fatalf("ComparePlace of %v and %v is %d", x, y, got)
			}
		}
		if x.Before(y) != (a.compare(b) < 0) {
			t.Fatalf("Before differs from the order: %v %v", x, y)
		}
	})
}

// Numbers are encoded by their value, across types.
func TestEncodedNumbersSortByValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a * (1 + rapid.Float64Range(-1e-9, 1e-9).Draw(t, "by"))
		}
		x := event(token.DocumentKey(bson.D{{Key: "_id", Value: a}})).Hex()
		y := event(token.DocumentKey(bson.D{{Key: "_id", Value: b}})).Hex()
		if got, want := cmp.Compare(x, y), cmp.Compare(a, b); got != want {
			t.Fatalf("%v and %v compare as %d: %s, %s", a, b, got, x, y)
		}
		n := int64(rapid.Int32().Draw(t, "n"))
		whole := event(token.DocumentKey(bson.D{{Key: "_id", Value: n}})).Hex()
		same := event(token.DocumentKey(bson.D{{Key: "_id", Value: float64(n)}})).Hex()
		if whole != same {
			t.Fatalf("%d and %d.0 differ: %s, %s", n, n, whole, same)
		}
	})
}
