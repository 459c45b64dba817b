package resolve_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fwgen/fwgen/internal/diag"
)

// zoo writes packages with arbitrary types: declarations that embed, alias and instantiate each
// other, and handlers whose documents are written in any way that Go has. Much of it makes no sense
// to a database, and some none to Go.
type zoo struct {
	rng   *rand.Rand
	names []string // of declared types
	text  strings.Builder
}

func (z *zoo) pick(list ...string) string { return list[z.rng.IntN(len(list))] }

// plain is a type that is always there.
func (z *zoo) plain() string {
	return z.pick("int", "string", "any", "error", "bool", "[]byte", "float64", "rune",
		"time.Time", "bson.Raw", "bson.D", "bson.M", "bson.ObjectID", "bson.Decimal128",
		"fw.Event[string]", "context.Context", "unsafe.Pointer", "mongo.Pipeline", "io.Reader")
}

// expr is a type expression. The deeper, the plainer.
func (z *zoo) expr(depth int) string {
	if depth <= 0 {
		return z.pick(append(z.names, z.plain(), z.plain())...)
	}
	in := func() string { return z.expr(depth - 1) }
	switch z.rng.IntN(14) {
	case 0:
		return "*" + in()
	case 1:
		return "[]" + in()
	case 2:
		return "[3]" + in()
	case 3:
		return "map[" + z.pick("string", "int", in()) + "]" + in()
	case 4:
		return z.pick("chan ", "<-chan ", "chan<- ") + in()
	case 5:
		return "func(" + in() + ", ..." + in() + ") (" + in() + ", error)"
	case 6:
		return "struct{ A " + in() + "; b " + in() + " `bson:\"b,omitempty\"`; C struct{ D " + in() + " } }"
	case 7:
		return "interface{ M(" + in() + ") " + in() + " }"
	case 8, 9, 10:
		return "List[" + in() + "]"
	case 11:
		return "Pair[" + z.pick("string", "int", in()) + ", " + in() + "]"
	case 12:
		return "Aka[" + in() + "]"
	default:
		return z.expr(0)
	}
}

const zooHead = `package orders

import (
	"context"
	"io"
	"time"
	"unsafe"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	fw "github.com/fwgen/fwgen/runtime"
)

type List[T any] struct{ Items []T }

type Pair[K comparable, V any] struct {
	Key   K
	Value V
}

type Aka[T any] = List[T]

type Base[T any] struct{}

func (*Base[T]) OnDelete(context.Context, *fw.Event[T]) error { return nil }
func (Base[T]) OnReplace(context.Context, *T) error { return nil }
`

func (z *zoo) declare(i int) {
	name := fmt.Sprintf("%s%d", z.pick("T", "t", "Ü", "日"), i)
	switch z.rng.IntN(6) {
	case 0:
		fmt.Fprintf(&z.text, "type %s = %s\n", name, z.expr(2))
	case 1:
		fmt.Fprintf(&z.text, "type %s %s\n", name, z.expr(2))
	default:
		fmt.Fprintf(&z.text, "type %s struct {\n\tNext *%s\n\tA, b %s\n\tC %s `bson:\"c\"`\n}\n",
			name, name, z.expr(2), z.expr(2))
	}
	z.names = append(z.names, name)
}

func (z *zoo) handler(i int) {
	doc := z.expr(z.rng.IntN(4))
	fmt.Fprintf(&z.text, "\n//fw:changestream collection=c%d\ntype H%d struct{ %s }\n\n", i, i,
		z.pick("", "", "Base["+doc+"]", "*Base["+doc+"]", "X int", "Base["+z.expr(1)+"]"))
	star := z.pick("*", "*", "")
	method := func(name, params string) {
		fmt.Fprintf(&z.text, "func (%sH%d) %s(%s) error { return nil }\n", star, i, name, params)
	}
	method("OnInsert", z.pick("context.Context, *"+doc, "context.Context, "+doc,
		"context.Context, *fw.Event["+doc+"]", "context.Context, *"+doc+", *fw.Event["+doc+"]"))
	if z.rng.IntN(2) == 0 {
		method("OnUpdate", "context.Context, *fw.Event["+z.pick(doc, z.expr(1))+"]")
	}
	if z.rng.IntN(4) == 0 {
		fmt.Fprintf(&z.text, "func (%sH%d) Filter(*fw.Event[%s]) bool { return true }\n", star, i, doc)
	}
}

func newZoo(seed uint64) string {
	z := &zoo{rng: rand.New(rand.NewPCG(seed, 7))}
	z.text.WriteString(zooHead)
	for i := range 1 + z.rng.IntN(5) {
		z.declare(i)
	}
	for i := range 1 + z.rng.IntN(3) {
		z.handler(i)
	}
	return z.text.String()
}

// visit lets the generator see a zoo: it neither panics nor generates what does not compile, and
// every problem has a place in the source.
func visit(t testing.TB, dir, src string) outcome {
	t.Helper()
	got := understand(t, dir, map[string]string{"orders.go": src})
	lines := strings.Split(src, "\n")
	for _, d := range got.problems {
		if d.Code == diag.Internal || d.Pos.Line < 1 || d.Pos.Line > len(lines) ||
			d.Pos.Col-1+d.Pos.Len > len(lines[d.Pos.Line-1])+1 {
			t.Errorf("%v\n%s", d, src)
		}
	}
	return got
}

func TestZoo(t *testing.T) {
	t.Parallel()
	dir, generated := t.TempDir(), 0
	for seed := range uint64(400) {
		if len(visit(t, dir, newZoo(seed)).files) > 0 {
			generated++
		}
		if t.Failed() {
			return
		}
	}
	if generated < 40 {
		t.Errorf("only %d zoos were generated; the types are too wild to test much", generated)
	}
}

func FuzzZoo(f *testing.F) {
	f.Add(uint64(1))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, seed uint64) { visit(t, dir, newZoo(seed)) })
}

// FuzzDirectives reads arbitrary text where the directives of a handler stand.
func FuzzDirectives(f *testing.F) {
	for _, list := range contradictions {
		for _, c := range list {
			f.Add("//fw:changestream "+c.directives, "//fw:on update")
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, typ, method string) {
		if strings.ContainsAny(typ+method, "\r") {
			t.Skip() // the scanner drops them from comments, and columns with them
		}
		head, _, _ := strings.Cut(contradictory, "//fw:changestream DIRECTIVES")
		visit(t, dir, head+typ+"\ntype Handler struct{}\n\n"+method+
			"\nfunc (*Handler) OnUpdate(context.Context, *Order) error { return nil }\n")
	})
}
