package token_test

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/token"
)

// What a 6.0.5 server put into the tokens of inserts, after the UUID.
func TestDocumentKeysAreEncodedAsAServerDoes(t *testing.T) {
	t.Parallel()
	id, _ := bson.ObjectIDFromHex("6b0e1408ee49957391f0f774")
	pointer, _ := bson.ObjectIDFromHex("6b0e1408ee49957391f0f775")
	for _, test := range []struct {
		id   any
		data string
		bits string
	}{
		{id, "46645F696400646B0E1408EE49957391F0F7740004", ""},
		{"str", "463C5F6964003C737472000004", ""},
		{"a\x00b", "463C5F6964003C6100FF62000004", ""},
		{"", "463C5F6964003C000004", ""},
		{int32(0), "461E5F696400290004", ""},
		{int32(1), "461E5F6964002B020004", ""},
		{int32(-1), "461E5F69640027FD0004", ""},
		{int32(127), "461E5F6964002BFE0004", ""},
		{int32(128), "461E5F6964002C01000004", ""},
		{int32(-128), "461E5F69640026FEFF0004", ""},
		{int32(math.MaxInt32), "461E5F6964002EFFFFFFFE0004", ""},
		{int64(0), "461E5F696400290004", "8180"},
		{int64(5), "461E5F6964002B0A0004", "8180"},
		{int64(math.MaxInt64), "461E5F69640032FFFFFFFFFFFFFFFE0004", "8180"},
		{int64(math.MinInt64), "461E5F6964001FF83FFFFFFFFFFFFF0004", "8180"},
		{int64(-300), "461E5F69640026FDA70004", "8180"},
		{0.0, "461E5F696400290004", "40"},
		{math.Copysign(0, -1), "461E5F696400290004", "82C000"},
		{1.5, "461E5F6964002B03800000000000000004", "40"},
		{-1.5, "461E5F69640027FC7FFFFFFFFFFFFF0004", "40"},
		{2.0, "461E5F6964002B040004", "40"},
		{0.5, "461E5F6964002AFF800000000000000004", "40"},
		{-0.5, "461E5F69640028007FFFFFFFFFFFFF0004", "40"},
		{0.1, "461E5F6964002AFEE66666666666680004", "40"},
		{1e-10, "461E5F6964002AF76DF37F675EF6EC0004", "40"},
		{1e-300, "461E5F6964002A634ADC3F85F1E6B20004", "40"},
		{5e-324, "461E5F6964002A59A00000000000000004", "40"},
		{1e300, "461E5F696400337C6FC8791000EB380004", "40"},
		{-1e300, "461E5F6964001F83903786EFFF14C70004", "40"},
		{math.Inf(1), "461E5F69640033FFFFFFFFFFFFFFFF0004", "40"},
		{math.Inf(-1), "461E5F6964001F00000000000000000004", "40"},
		{math.NaN(), "461E5F6964001E0004", "40"},
		{3.14159, "461E5F6964002B07243F3E0370CDC00004", "40"},
		{255.5, "461E5F6964002C01FF8000000000000004", "40"},
		{65536.25, "461E5F6964002D02000140000000000004", "40"},
		{9007199254740992.0, "461E5F69640031400000000000000004", "40"},
		{4611686018427387904.0, "461E5F6964003280000000000000000004", "40"},
		{9.3e18, "461E5F6964003307C0440F2E7EC8800004", "40"},
		{123456789.123, "461E5F6964002E0EB79A2B1F7CED800004", "40"},
		{true, "466E5F6964006F0004", ""},
		{false, "466E5F6964006E0004", ""},
		{nil, "46145F696400140004", ""},
		{bson.DateTime(0), "46785F6964007880000000000000000004", ""},
		{bson.DateTime(1796054607475), "46785F69640078800001A22D3266730004", ""},
		{bson.DateTime(-5), "46785F696400787FFFFFFFFFFFFFFB0004", ""},
		{bson.Binary{Subtype: 4, Data: []byte("0123456789abcdef")},
			"465A5F6964005A1004303132333435363738396162636465660004", ""},
		{bson.Binary{}, "465A5F6964005A00000004", ""},
		{bson.Binary{Data: make([]byte, 300)},
			"465A5F6964005AFF0000012C00" + strings.Repeat("00", 300) + "0004", ""},
		{bson.D{}, "46465F69640046000004", ""},
		{bson.D{{Key: "a", Value: int32(7)}, {Key: "b", Value: "x"}},
			"46465F696400461E61002B0E3C62003C7800000004", ""},
		{bson.D{{Key: "a", Value: int64(7)}, {Key: "b", Value: bson.D{{Key: "c", Value: 1.5}}}},
			"46465F696400461E61002B0E466200461E63002B038000000000000000000004", "828001"},
		{bson.D{{Key: "a", Value: bson.A{int32(1), "q", nil, bson.D{{Key: "z", Value: true}}}}},
			"46465F69640046506100502B023C710014466E7A006F0000000004", ""},
		{bson.D{{Key: "a", Value: math.Copysign(0, -1)}, {Key: "b", Value: int64(3)}},
			"46465F696400461E6100291E62002B06000004", "82C010"},
		{bson.D{{Key: "a", Value: int64(1)}, {Key: "b", Value: int64(2)}, {Key: "c", Value: 3.0},
			{Key: "d", Value: 4.5}, {Key: "e", Value: int64(5)}},
			"46465F696400461E61002B021E62002B041E63002B061E64002B09800000000000001E65002B0A000004",
			"828096"},
		{bson.D{{Key: "a", Value: bson.Undefined{}}}, "46465F696400460F61000F000004", ""},
		{bson.D{{Key: "s", Value: bson.Symbol("x")}}, "46465F696400463C73003C7800000004", "40"},
		{bson.Timestamp{T: 5, I: 9}, "46825F6964008200000005000000090004", ""},
		{bson.Symbol("sym"), "463C5F6964003C73796D000004", "40"},
		{bson.JavaScript("code"), "46A05F696400A0636F6465000004", ""},
		{bson.MinKey{}, "460A5F6964000A0004", ""},
		{bson.MaxKey{}, "46F05F696400F00004", ""},
		{bson.CodeWithScope{Code: "f", Scope: bson.D{{Key: "q", Value: int32(1)}}},
			"46AA5F696400AA66001E71002B02000004", ""},
		{bson.DBPointer{DB: "db.c", Pointer: pointer},
			"46965F696400960000000464622E636B0E1408EE49957391F0F7750004", ""},
		{bson.D{{Key: "a", Value: bson.Regex{Pattern: "p", Options: "i"}}},
			"46465F696400468C61008C70006900000004", ""},
	} {
		made := event(token.DocumentKey(bson.D{{Key: "_id", Value: test.id}}))
		doc := made.Document()
		data, _ := doc[0].Value.(string)
		if got := data[len(eventHead):]; got != test.data {
			t.Errorf("_id %v is encoded as\n%s, want\n%s", test.id, got, test.data)
		}
		bits := ""
		if len(doc) > 1 {
			bits = strings.ToUpper(hex.EncodeToString(doc[1].Value.(bson.Binary).Data))
		}
		if bits != test.bits {
			t.Errorf("_id %v has type bits %s, want %s", test.id, bits, test.bits)
		}
		if back, err := token.Parse(doc); err != nil || back != made {
			t.Errorf("Parse of the token with _id %v = %+v, %v, want %+v", test.id, back, err, made)
		}
	}
}

const eventHead = "826B0E1408000000382B022C0100296E5A10040AFBC2FBB59046FCA1FC3EF06E83D5AC"

func event(id token.Identifier) token.Token {
	uuid, _ := hex.DecodeString("0AFBC2FBB59046FCA1FC3EF06E83D5AC")
	return token.Token{
		TS:      bson.Timestamp{T: 0x6B0E1408, I: 0x38},
		Version: token.Plain,
		Kind:    token.Event,
		UUID:    token.UUID(uuid),
		ID:      id,
	}
}

// Tokens as 6.0.5 wrote them, and 6.0.27 in streams that split large events.
func TestTokensLookLikeAServers(t *testing.T) {
	t.Parallel()
	key := bson.D{{Key: "_id", Value: int32(1)}}
	with := func(change func(*token.Token)) token.Token {
		tok := event(token.DocumentKey(key))
		change(&tok)
		return tok
	}
	highWater := token.HighWater(bson.Timestamp{T: 0x6B0DA8E4, I: 1})
	splitting := highWater
	splitting.Version = token.Splitting
	const head2 = "826B0E1408000000382B042C0100296E5A10040AFBC2FBB59046FCA1FC3EF06E83D5AC" +
		"463C6F7065726174696F6E54797065003C"
	for _, test := range []struct {
		name string
		tok  token.Token
		want string
	}{
		{"high-water mark", highWater, "826B0DA8E4000000012B0229296E04"},
		{"high-water mark of version 2", splitting, "826B0DA8E4000000012B0429296E1404"},
		{"insert", with(func(*token.Token) {}), eventHead + "461E5F6964002B020004"},
		{"drop", with(func(tok *token.Token) { tok.ID = token.DocumentKey(nil) }), eventHead + "04"},
		{"third in a transaction", with(func(tok *token.Token) { tok.TxnIndex = 2 }),
			strings.Replace(eventHead, "2C010029", "2C01002B04", 1) + "461E5F6964002B020004"},
		{"invalidate of a drop", with(func(tok *token.Token) {
			tok.ID, tok.FromInvalidate = token.DocumentKey(nil), true
		}), strings.Replace(eventHead, "6E5A", "6F5A", 1) + "04"},
		{"dropDatabase", with(func(tok *token.Token) {
			tok.ID, tok.UUID = token.DocumentKey(nil), ""
		}), "826B0E1408000000382B022C0100296E04"},
		{"second fragment", with(func(tok *token.Token) {
			tok.Version, tok.ID = token.Splitting, token.Operation("update", "documentKey", key)
			tok.Fragment = 2
		}), head2 + "7570646174650046646F63756D656E744B657900461E5F6964002B0200002B0204"},
		{"drop in version 2", with(func(tok *token.Token) {
			tok.Version, tok.ID = token.Splitting, token.Operation("drop", "", nil)
		}), head2 + "64726F70000004"},
		{"dropDatabase in version 2", with(func(tok *token.Token) {
			tok.Version, tok.ID = token.Splitting, token.Operation("dropDatabase", "", nil)
			tok.UUID = ""
		}), "826B0E1408000000382B042C0100296E14463C6F7065726174696F6E54797065003C" +
			"64726F704461746162617365000004"},
	} {
		if got := test.tok.Hex(); got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, test.want)
		}
		back, err := token.Parse(bson.D{{Key: "_data", Value: test.want}})
		if diff := cmp.Diff(test.tok, back, cmp.AllowUnexported(token.Identifier{})); diff != "" {
			t.Errorf("%s, parsed (%v):\n%s", test.name, err, diff)
		}
	}
}

func TestDecimalsAreDistinctAndReadable(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, text := range []string{
		"1.5", "1.50", "0", "-0", "1", "12345678901234567890.5", "Infinity",
	} {
		d, err := bson.ParseDecimal128(text)
		if err != nil {
			t.Fatal(err)
		}
		tok := event(token.DocumentKey(bson.D{{Key: "_id", Value: d}}))
		if other, ok := seen[tok.Hex()]; ok {
			t.Errorf("%s and %s have the same token", text, other)
		}
		seen[tok.Hex()] = text
		if back, err := token.Parse(tok.Document()); err != nil || back != tok {
			t.Errorf("Parse of the token with _id %s: %v, %v", text, back, err)
		}
	}
}
