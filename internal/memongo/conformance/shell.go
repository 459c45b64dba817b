package conformance

import (
	"fmt"
	"strings"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Values in tables are written nearly as the shell writes them: names need no quotes, strings
// have single ones, and there are
//
//	1          an int32           long(1)      an int64        1.0   a double
//	dec(1.5)   a decimal          date(5)      milliseconds    oid('507f1f77bcf86cd799439011')
//	ts(1, 2)   a timestamp        bin(0, 'aGk=')               regex('^a', 'i')
//	NaN  Infinity  -Infinity  MinKey  MaxKey  undefined  true  false  null
//
// Extended JSON works, too, as the text is turned into that: an object such as {$date: …} is a
// date, not a document.

// doc reads a document. It panics on what it can't read, as the text is part of the program.
func doc(text string) bson.D {
	d, ok := val(text).(bson.D)
	if !ok {
		panic(fmt.Sprintf("%s is not a document", text))
	}
	return d
}

// arr reads an array.
func arr(text string) bson.A {
	a, ok := val(text).(bson.A)
	if !ok {
		panic(fmt.Sprintf("%s is not an array", text))
	}
	return a
}

// val reads any value.
func val(text string) any {
	r := reader{rest: text}
	r.all()
	var wrapper bson.D
	extended := `{"v":` + r.out.String() + `}`
	if err := bson.UnmarshalExtJSON([]byte(extended), false, &wrapper); err != nil {
		panic(fmt.Sprintf("%s\nis read as %s\n%v", text, extended, err))
	}
	return wrapper[0].Value
}

// reader turns the shell's notation into extended JSON.
type reader struct {
	rest string
	out  strings.Builder
}

func (r *reader) all() {
	for r.rest != "" {
		switch c := rune(r.rest[0]); {
		case c == '\'':
			r.text()
		case c == '"': // as it is in extended JSON
			end := strings.IndexByte(r.rest[1:], '"') + 2
			r.out.WriteString(r.rest[:end])
			r.rest = r.rest[end:]
		case isWord(c):
			r.word()
		default:
			r.out.WriteRune(c)
			r.rest = r.rest[1:]
		}
	}
}

// text reads what is between single quotes. One within is written \'.
func (r *reader) text() {
	var text strings.Builder
	for i := 1; i < len(r.rest); i++ {
		switch {
		case r.rest[i] == '\'':
			r.rest = r.rest[i+1:]
			fmt.Fprintf(&r.out, "%q", text.String())
			return
		case strings.HasPrefix(r.rest[i:], `\'`):
			i++
		}
		text.WriteByte(r.rest[i])
	}
	panic("a quote is missing: " + r.rest)
}

func isWord(c rune) bool {
	return c == '_' || c == '$' || c == '.' || c == '-' || c == '+' ||
		unicode.IsLetter(c) || unicode.IsDigit(c)
}

// word reads a name, a number, or what stands for a value.
func (r *reader) word() {
	end := strings.IndexFunc(r.rest, func(c rune) bool { return !isWord(c) })
	if end < 0 {
		end = len(r.rest)
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	after := strings.TrimLeft(r.rest, " \t\n")
	if strings.HasPrefix(after, ":") {
		fmt.Fprintf(&r.out, "%q", word)
		return
	}
	if strings.HasPrefix(after, "(") {
		args, rest, _ := strings.Cut(after[1:], ")")
		r.rest = rest
		r.out.WriteString(call(word, arguments(args)))
		return
	}
	r.out.WriteString(constant(word))
}

func arguments(text string) (args []string) {
	for _, arg := range strings.Split(text, ",") {
		args = append(args, strings.Trim(strings.TrimSpace(arg), "'"))
	}
	return append(args, "", "")
}

func constant(word string) string {
	switch word {
	case "NaN", "Infinity", "-Infinity":
		return fmt.Sprintf(`{"$numberDouble":%q}`, word)
	case "MinKey":
		return `{"$minKey":1}`
	case "MaxKey":
		return `{"$maxKey":1}`
	case "undefined":
		return `{"$undefined":true}`
	}
	return word
}

func call(name string, args []string) string {
	switch name {
	case "long":
		return fmt.Sprintf(`{"$numberLong":%q}`, args[0])
	case "dec":
		return fmt.Sprintf(`{"$numberDecimal":%q}`, args[0])
	case "date":
		return fmt.Sprintf(`{"$date":{"$numberLong":%q}}`, args[0])
	case "oid":
		return fmt.Sprintf(`{"$oid":%q}`, args[0])
	case "ts":
		return fmt.Sprintf(`{"$timestamp":{"t":%s,"i":%s}}`, args[0], args[1])
	case "bin":
		return fmt.Sprintf(`{"$binary":{"subType":"%02s","base64":%q}}`, args[0], args[1])
	case "regex":
		return fmt.Sprintf(`{"$regularExpression":{"pattern":%q,"options":%q}}`, args[0], args[1])
	}
	panic("no such value: " + name)
}

// brief is show for messages: a document of 16 MB is cut.
func brief(v any) string {
	text := show(v)
	if len(text) > longest {
		return text[:longest] + "…"
	}
	return text
}

// longest is how much of a value a message shows.
const longest = 4000

// show returns a value as extended JSON in which types can be told apart.
func show(v any) string {
	if v == (missing{}) {
		return "missing"
	}
	raw, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: v}}, true, false)
	if err != nil {
		return fmt.Sprintf("%#v (%v)", v, err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(raw), `{"v":`), "}")
}
