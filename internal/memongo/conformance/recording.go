package conformance

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// A recording is a check in a file of the folder recorded: directives, and below each, indented,
// what a real server said. [Record] writes what is indented.
//
//	== area/what               begins a check
//	needs split                features that the server must have, see featureNames
//	uses failCommand           a fail point, which one check may have at a time
//
//	> {ping: 1}                a command to the check's database
//	A> {ping: 1}               the same in a session that is named A
//	A admin> {…}               to the database admin; 'other' is a second one of the check's
//	exact> {…}                 messages of errors and positions after batches are compared, too
//	A once2> {insert: …}       with txnNumber 2, a retryable write; a number of 1 can be left out
//	A begin> {…}               the first command of transaction 1
//	A in> {…}                  a further one
//	A&> {…}                    in the background
//	waits A                    it has no answer yet
//	await A                    the answer
//
//	s open> {aggregate: …}     opens a change stream, its first events are kept for later
//	events s 2                 reads so many events, and 'closed' where the cursor is
//	more s {maxTimeMS: 50}     one getMore, and all of its answer
//	let p = s.token            keeps a value: s.token, s.pbrt, s.time (of the last event),
//	                           s.cursor, A.lsid, A.operationTime
//
// In commands '<p>' is a value that was kept, '<s.token>' one that need not be, '<db>' the name
// of the database, '<app>' that of the application, and '<x*1000>' a long string. In answers the
// values that are different every time are numbered in the order in which they appear: <T1> is a
// resume token, <H> one that is a high-water mark, <C1> a cluster time. A line that begins with !
// is an error: code, name, labels, further fields and, after a colon, the message.
type recording struct {
	name  string
	needs Features
	uses  string
	turns []turn
}

// turn is one directive and the answer that is expected.
type turn struct {
	source string // the line as it stands
	who    string
	verb   string // run, start, open, events, more, await, waits, let
	db     string // "", admin or other
	exact  bool
	extra  bson.D // is added to the command
	arg    string
	want   []string
}

//go:embed recorded
var recordedFiles embed.FS

// recordedChecks are the checks of the folder recorded.
func recordedChecks() (all []check) {
	for _, file := range recordingFiles() {
		for _, r := range file.recordings {
			all = append(all, check{name: r.name, needs: r.needs, uses: r.uses, run: r.run})
		}
	}
	return all
}

// recordingFile is a file of the folder recorded.
type recordingFile struct {
	name       string
	recordings []recording
}

// recordingFiles reads the folder. It panics on what it can't read, as that is part of the
// program.
func recordingFiles() (files []recordingFile) {
	entries, err := recordedFiles.ReadDir("recorded")
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		text, err := recordedFiles.ReadFile(path.Join("recorded", entry.Name()))
		if err != nil {
			panic(err)
		}
		recordings, err := parseRecordings(string(text))
		if err != nil {
			panic(fmt.Sprintf("%s: %v", entry.Name(), err))
		}
		files = append(files, recordingFile{entry.Name(), recordings})
	}
	return files
}

// parseRecordings reads a file.
func parseRecordings(text string) (all []recording, err error) {
	for i, line := range strings.Split(text, "\n") {
		if err := parseLine(&all, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return all, nil
}

func parseLine(all *[]recording, line string) error {
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	if name, ok := strings.CutPrefix(line, "== "); ok {
		*all = append(*all, recording{name: name})
		return nil
	}
	if len(*all) == 0 {
		return fmt.Errorf("%q stands before the first check", line)
	}
	r := &(*all)[len(*all)-1]
	if answer, ok := strings.CutPrefix(line, "  "); ok {
		if len(r.turns) == 0 {
			return fmt.Errorf("%q answers nothing", line)
		}
		last := &r.turns[len(r.turns)-1]
		last.want = append(last.want, answer)
		return nil
	}
	return r.directive(line)
}

// directive reads a line that is not indented.
func (r *recording) directive(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "needs":
		needed, ok := featureNames[rest]
		if !ok {
			return fmt.Errorf("there is no feature %q", rest)
		}
		needed(&r.needs)
		return nil
	case "uses":
		r.uses = rest
		r.needs.TestCommands = true
		return nil
	}
	t, err := parseTurn(line)
	if err != nil {
		return err
	}
	r.turns = append(r.turns, t)
	return nil
}

// featureNames are the features that a recording can need.
var featureNames = map[string]func(*Features){
	"split":    func(f *Features) { f.Split = true },
	"views":    func(f *Features) { f.Views = true },
	"expanded": func(f *Features) { f.Expanded = true },
}

func parseTurn(line string) (turn, error) {
	t := turn{source: line}
	words := strings.Fields(line)
	switch words[0] {
	case "events", "more", "await", "waits":
		if len(words) < 2 {
			return t, fmt.Errorf("%q: of whom?", line)
		}
		t.verb, t.who, words = words[0], words[1], words[2:]
		if len(words) > 0 && words[0] == "exact" {
			t.exact, words = true, words[1:]
		}
		t.arg = strings.Join(words, " ")
		return t, nil
	case "let":
		if len(words) != 4 || words[2] != "=" {
			return t, fmt.Errorf("%q is not 'let name = value'", line)
		}
		t.verb, t.who, t.arg = "let", words[1], words[3]
		return t, nil
	}
	head, command, ok := strings.Cut(line, ">")
	if !ok {
		return t, fmt.Errorf("unknown directive %q", line)
	}
	t.verb, t.arg = "run", strings.TrimSpace(command)
	if rest, ok := strings.CutSuffix(head, "&"); ok {
		t.verb, head = "start", rest
	}
	return t, t.head(strings.Fields(head))
}

// head reads what stands before the >.
func (t *turn) head(words []string) error {
	for _, word := range words {
		switch {
		case word == "admin", word == "other":
			t.db = word
		case word == "exact":
			t.exact = true
		case word == "open":
			t.verb = "open"
		case transactionWord.MatchString(word):
			t.extra = transactionFields(word)
		case t.who == "":
			t.who = word
		default:
			return fmt.Errorf("%q: too many words", t.source)
		}
	}
	return nil
}

var transactionWord = regexp.MustCompile(`^(once|begin|in)(\d*)$`)

// transactionFields are what a word such as begin2 adds to a command.
func transactionFields(word string) bson.D {
	parts := transactionWord.FindStringSubmatch(word)
	number := int64(1)
	if parts[2] != "" {
		number, _ = strconv.ParseInt(parts[2], 10, 64) // it is digits
	}
	fields := bson.D{{Key: "txnNumber", Value: number}}
	if parts[1] == "begin" {
		fields = append(fields, bson.E{Key: "startTransaction", Value: true})
	}
	if parts[1] != "once" {
		fields = append(fields, bson.E{Key: "autocommit", Value: false})
	}
	return fields
}

// answersAsWanted compares an answer with the recorded one.
func (t turn) answersAsWanted(got []string) bool {
	if t.exact {
		return slices.Equal(got, t.want)
	}
	return slices.EqualFunc(got, t.want, func(a, b string) bool {
		return withoutMessages(a) == withoutMessages(b)
	})
}
