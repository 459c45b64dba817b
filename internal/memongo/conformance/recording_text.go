package conformance

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// notation writes values as shell.go reads them, with names for what differs from run to run.
type notation struct {
	db     string
	tokens []string
	times  []bson.Timestamp
	passed int32 // how often a fail point had been entered before

	// positions writes the position after a batch, too. It depends on who else writes, unless
	// the batch is full.
	positions bool
}

// highWaterMark is a token that is nothing but a time: behind that and the version stands a zero.
var highWaterMark = regexp.MustCompile(`^82[0-9A-F]{16}2B0.29`)

// yearOfTests is after every date that a recording names itself.
const yearOfTests = 2020

// fieldsOfEveryAnswer are left out, as they are the same or never the same.
var fieldsOfEveryAnswer = []string{
	"$clusterTime", "operationTime", "electionId", "opTime", "lastCommittedOpTime",
}

// fieldsOfErrors have a place of their own, but for the last, which is sometimes there when a
// command has run out of time.
var fieldsOfErrors = []string{
	"ok", "errmsg", "code", "codeName", "errorLabels", "writeConcernError",
}

// answer writes the answer to a command, in one line.
func (n *notation) answer(d bson.D) string {
	d = slices.DeleteFunc(slices.Clone(d), func(e bson.E) bool {
		return slices.Contains(fieldsOfEveryAnswer, e.Key)
	})
	if ok, _ := lookup(d, "ok").(float64); ok == 1 {
		return n.value(sorted(d))
	}
	return n.refusal(d)
}

// sorted puts the fields of an answer in an order of its own: the server's means nothing.
func sorted(d bson.D) bson.D {
	d = slices.Clone(d)
	slices.SortStableFunc(d, func(a, b bson.E) int {
		return cmp.Or(rank(a.Key)-rank(b.Key), cmp.Compare(a.Key, b.Key))
	})
	for i, e := range d {
		if cursor, ok := e.Value.(bson.D); ok && e.Key == "cursor" {
			d[i].Value = sorted(cursor)
		}
	}
	return d
}

// rank puts documents before the rest, and ok at the end.
func rank(name string) int {
	switch name {
	case "ok":
		return 2
	case "firstBatch", "nextBatch":
		return 0
	}
	return 1
}

// refusal writes an answer that is an error.
func (n *notation) refusal(d bson.D) string {
	line := "! no code"
	if code := lookup(d, "code"); code != (missing{}) {
		line = fmt.Sprintf("! %v %v", code, lookup(d, "codeName"))
	}
	if labels, ok := lookup(d, "errorLabels").(bson.A); ok {
		line += fmt.Sprintf(" %v", labels)
	}
	rest := bson.D{}
	for _, e := range d {
		if !slices.Contains(fieldsOfErrors, e.Key) {
			rest = append(rest, e)
		}
	}
	if len(rest) > 0 {
		line += " " + n.value(rest)
	}
	return line + ": " + n.message(fmt.Sprint(lookup(d, "errmsg")))
}

// What differs from run to run within a message.
var (
	tokenInText  = regexp.MustCompile(`82[0-9A-F]{28,}`)
	timeInText   = regexp.MustCompile(`Timestamp\(\d{9,}, \d+\)`)
	uuidInText   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	oidInText    = regexp.MustCompile(`\b[0-9a-f]{24}\b`)
	numberInText = regexp.MustCompile(`\b\d{15,}\b`)
	hashInText   = regexp.MustCompile(`[0-9A-Za-z+/]{43}=`)
)

func (n *notation) message(text string) string {
	text = tokenInText.ReplaceAllStringFunc(text, n.token)
	text = timeInText.ReplaceAllString(text, "<time>")
	text = uuidInText.ReplaceAllString(text, "<uuid>")
	text = oidInText.ReplaceAllString(text, "<oid>")
	text = hashInText.ReplaceAllString(text, "<hash>")
	text = numberInText.ReplaceAllString(text, "<number>")
	return strings.ReplaceAll(strings.ReplaceAll(text, n.db, "<db>"), "\n", " ")
}

// messageOfError and messageInside find the messages in a line.
var (
	messageOfError = regexp.MustCompile(`^(! \S+ [^:]*?(?:\{.*\})?): .*$`)
	messageInside  = regexp.MustCompile(`errmsg: ('[^']*'|"(?:[^"\\]|\\.)*")`)
)

func withoutMessages(line string) string {
	if strings.HasPrefix(line, "! ") {
		line = messageOfError.ReplaceAllString(line, "$1")
	}
	return messageInside.ReplaceAllString(line, "errmsg")
}

func (n *notation) value(v any) string {
	switch v := v.(type) {
	case bson.D:
		var fields []string
		for _, e := range v {
			if n.writes(e.Key) {
				fields = append(fields, n.name(e.Key)+": "+n.field(e.Key, e.Value))
			}
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case bson.A:
		elements := make([]string, len(v))
		for i := range v {
			elements[i] = n.value(v[i])
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case string:
		return n.text(v)
	case nil:
		return "null"
	}
	return n.scalar(v)
}

// writes reports whether a field is written.
func (n *notation) writes(name string) bool {
	switch name {
	case "postBatchResumeToken":
		return n.positions
	case "errInfo": // repeats the command
		return false
	case "_typeBits": // a part of some tokens, which are opaque
		return false
	}
	return true
}

// field writes a value whose meaning its name tells.
func (n *notation) field(name string, v any) string {
	switch text, isText := v.(string); {
	case name == "_data" && isText:
		return n.token(text)
	case name == "topologyVersion":
		return "<topology>"
	case name == "count":
		if count, ok := v.(int32); ok {
			return fmt.Sprint(count - n.passed)
		}
	}
	return n.value(v)
}

func (n *notation) scalar(v any) string {
	switch v := v.(type) {
	case bool, int32:
		return fmt.Sprint(v)
	case int64:
		if v > 1e12 || v < -1e12 {
			return "<cursor>"
		}
		return fmt.Sprintf("long(%d)", v)
	case float64:
		return double(v)
	case bson.Timestamp:
		return n.time(v)
	case bson.DateTime:
		if v.Time().Year() >= yearOfTests {
			return "<now>"
		}
		return fmt.Sprintf("date(%d)", v.Time().UnixMilli())
	case bson.ObjectID:
		return "<oid>"
	case bson.Binary:
		if v.Subtype == bson.TypeBinaryUUID {
			return "<uuid>"
		}
		return fmt.Sprintf("bin(%d, '%s')", v.Subtype, base64.StdEncoding.EncodeToString(v.Data))
	case bson.Decimal128:
		return fmt.Sprintf("dec(%s)", v)
	}
	return show(v)
}

func double(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !math.IsNaN(v) && !math.IsInf(v, 0) && !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// token names a resume token by when it was first seen.
func (n *notation) token(data string) string {
	if highWaterMark.MatchString(data) {
		return "<H>"
	}
	i := slices.Index(n.tokens, data)
	if i < 0 {
		i = len(n.tokens)
		n.tokens = append(n.tokens, data)
	}
	return fmt.Sprintf("<T%d>", i+1)
}

func (n *notation) time(t bson.Timestamp) string {
	if time.Unix(int64(t.T), 0).Year() < yearOfTests {
		return fmt.Sprintf("ts(%d, %d)", t.T, t.I)
	}
	i := slices.Index(n.times, t)
	if i < 0 {
		i = len(n.times)
		n.times = append(n.times, t)
	}
	return fmt.Sprintf("<C%d>", i+1)
}

var plainName = regexp.MustCompile(`^[\w$.\-]+$`)

func (n *notation) name(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return n.text(name)
}

func (n *notation) text(text string) string {
	if len(text) > 100 && strings.Count(text, text[:1]) == len(text) {
		return fmt.Sprintf("<%s*%d>", text[:1], len(text))
	}
	text = n.message(text)
	if strings.ContainsAny(text, "'\\\n") {
		return strconv.Quote(text)
	}
	return "'" + text + "'"
}
