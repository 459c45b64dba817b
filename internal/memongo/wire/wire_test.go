package wire_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"

	"github.com/fwgen/fwgen/internal/memongo/wire"
)

func marshal(t *testing.T, doc bson.D) []byte {
	t.Helper()
	raw, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func msg(flags wiremessage.MsgFlag, sections ...[]byte) []byte {
	at, b := wiremessage.AppendHeaderStart(nil, 7, 0, wiremessage.OpMsg)
	b = wiremessage.AppendMsgFlags(b, flags)
	b = append(b, bytes.Join(sections, nil)...)
	return bsoncore.UpdateLength(b, at, int32(len(b)))
}

func body(t *testing.T, doc bson.D) []byte {
	t.Helper()
	section := wiremessage.AppendMsgSectionType(nil, wiremessage.SingleDocument)
	return append(section, marshal(t, doc)...)
}

func sequence(t *testing.T, name string, docs ...bson.D) []byte {
	t.Helper()
	section := wiremessage.AppendMsgSectionType(nil, wiremessage.DocumentSequence)
	at, section := bsoncore.ReserveLength(section)
	section = append(append(section, name...), 0)
	for _, doc := range docs {
		section = append(section, marshal(t, doc)...)
	}
	return bsoncore.UpdateLength(section, at, int32(len(section))-at)
}

func TestDocumentSequencesBecomeFields(t *testing.T) {
	t.Parallel()
	message := msg(0,
		sequence(t, "documents", bson.D{{Key: "a", Value: int32(1)}}, bson.D{}),
		body(t, bson.D{{Key: "insert", Value: "c"}, {Key: "$db", Value: "d"}}))
	req, err := wire.Read(bytes.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Request{ID: 7, Command: bson.D{
		{Key: "insert", Value: "c"},
		{Key: "$db", Value: "d"},
		{Key: "documents", Value: bson.A{bson.D{{Key: "a", Value: int32(1)}}, bson.D{}}},
	}}
	if diff := cmp.Diff(want, req); diff != "" {
		t.Error(diff)
	}
}

func TestFlagsSayWhatAnswersAClientTakes(t *testing.T) {
	t.Parallel()
	command := bson.D{{Key: "hello", Value: int32(1)}}
	for _, test := range []struct {
		flags           wiremessage.MsgFlag
		exhaust, silent bool
	}{
		{0, false, false},
		{wiremessage.ExhaustAllowed, true, false},
		{wiremessage.MoreToCome, false, true},
	} {
		req, err := wire.Read(bytes.NewReader(msg(test.flags, body(t, command))))
		if err != nil {
			t.Fatal(err)
		}
		if req.Exhaust != test.exhaust || req.Silent != test.silent {
			t.Errorf("flags %v: exhaust %v, silent %v", test.flags, req.Exhaust, req.Silent)
		}
	}
}

func TestAnswersCanBeReadByTheDriversPackage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	answer := bson.D{{Key: "ok", Value: 1.0}}
	if err := wire.Write(&out, wire.Request{ID: 7}, answer, true); err != nil {
		t.Fatal(err)
	}
	length, _, to, opcode, rest, ok := wiremessage.ReadHeader(out.Bytes())
	if !ok || int(length) != out.Len() || to != 7 || opcode != wiremessage.OpMsg {
		t.Fatalf("header: length %d of %d, to %d, opcode %v", length, out.Len(), to, opcode)
	}
	if !wiremessage.IsMsgMoreToCome(out.Bytes()) {
		t.Error("the flag that more is to come is missing")
	}
	_, rest, _ = wiremessage.ReadMsgFlags(rest)
	_, rest, _ = wiremessage.ReadMsgSectionType(rest)
	got, rest, ok := wiremessage.ReadMsgSectionSingleDocument(rest)
	if !ok || len(rest) != 0 || !bytes.Equal(got, marshal(t, answer)) {
		t.Errorf("answer %v, rest %v", got, rest)
	}
}

func TestMessagesThatAreCutOffAreErrors(t *testing.T) {
	t.Parallel()
	whole := msg(0, sequence(t, "documents", bson.D{{Key: "a", Value: int32(1)}}),
		body(t, bson.D{{Key: "insert", Value: "c"}}))
	for n := range len(whole) {
		_, err := wire.Read(bytes.NewReader(whole[:n]))
		if err == nil {
			t.Fatalf("no error after %d of %d bytes", n, len(whole))
		}
		if (n == 0) != (err == io.EOF) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	at, b := wiremessage.AppendHeaderStart(nil, 7, 0, wiremessage.OpMsg)
	f.Add(bsoncore.UpdateLength(b, at, int32(len(b))))
	f.Fuzz(func(t *testing.T, message []byte) {
		if len(message) < 16 {
			return
		}
		message = bsoncore.UpdateLength(bytes.Clone(message), 0, int32(len(message)))
		req, err := wire.Read(bytes.NewReader(message))
		if err == nil && req.Err == nil && len(req.Command) == 0 {
			t.Error("a command without a name")
		}
	})
}
