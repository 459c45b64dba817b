package token_test

import (
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/token"
)

// What 6.0.5 and 6.0.27 answered to an aggregate with such a token.
func TestMalformedTokensAreRefusedAsAServerDoes(t *testing.T) {
	t.Parallel()
	const (
		insert   = eventHead + "461E5F6964002B020004"
		notFound = "KeyString format error: Failed to find null terminator in string."
		advance  = "Invalid advance (1) past end of buffer[0] at offset: 0"
		badUUID  = "uuid must be a 16-byte binary field with UUID (4) subtype"
	)
	version2 := strings.Replace(insert, "2B022C", "2B042C", 1)
	for _, test := range []struct {
		data    string
		code    int32
		message string
	}{
		{"8", 9, "resume token string was not a valid hex string"},
		{"zz", 9, "resume token string was not a valid hex string"},
		{"", 40649, "invalid empty resume token"},
		{"04", 40649, "invalid empty resume token"},
		{insert[:2], 15, "Invalid advance (8) past end of buffer[0] at offset: 0"},
		{insert[:16], 15, "Invalid advance (8) past end of buffer[7] at offset: 0"},
		{insert[:18], 50796, "Resume Token does not contain version"},
		{insert[:20], 15, advance},
		{insert[:22], 51055, "Resume Token does not contain tokenType"},
		{insert[:28], 50793, "Resume Token does not contain txnOpIndex"},
		{insert[:30], 50872, "Resume Token does not contain fromInvalidate"},
		{insert[:34], 15, advance},
		{insert[:40], 15, "Invalid advance (16) past end of buffer[1] at offset: 0"},
		{insert[:72], 15, advance},
		{insert[:74], 50816, notFound},
		{insert[:82], 15, advance},
		{"DEADBEEF", 50811, "KeyString format error: Unknown type: 222"},
		{"836B", 50811, "KeyString format error: Unknown type: 131"},
		{"46", 15, advance},
		{"FE", 15, advance},
		{"01", 15, advance},
		{"5A", 15, advance},
		{"3C", 50816, notFound},
		{"3C41", 50816, notFound},
		{"29", 50796, "Resume Token does not contain version"},
		{insert[:18] + "2B06292904", 50795,
			"Invalid Resume Token: only supports version 0, 1 and 2"},
		{insert[:18] + "3C41002C01003C41002904", 50854,
			"Invalid resume token: wrong type for version"},
		{insert[:22] + "2B02296E04", 51057, "Token type 1 not recognized"},
		{insert[:28] + "3C41002904", 50855, "Resume Token txnOpIndex is not an integer"},
		{insert[:28] + "27FD6E04", 50794,
			"Invalid Resume Token: txnOpIndex should be non-negative"},
		{insert[:28] + "32FFFFFFFFFFFFFFFE6E04", 50794,
			"Invalid Resume Token: txnOpIndex should be non-negative"},
		{insert[:28] + "2B03800000000000006E04", 50810,
			"KeyString format error: Expected type Decimal."},
		{insert[:30] + "3C410004", 50870, "Resume Token fromInvalidate is not a boolean."},
		{insert[:30] + "6E290004", 50811, "KeyString format error: Unknown type: 0"},
		{insert[:32] + "6E04", 207, badUUID},
		{strings.Replace(insert, "5A1004", "5A1000", 1), 207, badUUID},
		{strings.Replace(insert, "5A1004", "5AFF00", 1), 15,
			"Invalid advance (719810) past end of buffer[22] at offset: 0"},
		{strings.Replace(eventHead, "2C0100", "29", 1) + "04", 6189505,
			"Invalid high water mark token"},
		{eventHead + "2904", 6189503, "Resume Token eventIdentifier is not an object"},
		{eventHead + "1404", 6189503, "Resume Token eventIdentifier is not an object"},
		{insert[:len(insert)-2] + "2904", 40646, "invalid oversized resume token"},
		{version2[:len(version2)-2] + "292904", 40646, "invalid oversized resume token"},
		{version2[:len(version2)-2] + "1404", 7182501,
			"Resume token 'fragmentNum' must be a non-negative integer."},
		{version2[:32] + "04", 6189500, "Expected UUID or null"},
	} {
		_, err := token.Parse(bson.D{{Key: "_data", Value: test.data}})
		var e *mongoerr.Error
		if !errors.As(err, &e) || e.Code != test.code || e.Message != test.message {
			t.Errorf("Parse(%s) = %v, want (%d) %s", test.data, err, test.code, test.message)
		}
	}
}

func TestTokensThatAreNoDocumentsOfTheirKindAreRefused(t *testing.T) {
	t.Parallel()
	const data = eventHead + "04"
	for _, test := range []struct {
		doc     bson.D
		code    int32
		message string
	}{
		{bson.D{}, 40647, "Bad resume token: _data of missing or of wrong type. " +
			"Expected string, got {}"},
		{bson.D{{Key: "_data", Value: int32(5)}}, 40647, "Bad resume token: _data of missing or " +
			"of wrong type. Expected string, got {_data: 5}"},
		{bson.D{{Key: "_data", Value: bson.Binary{Data: []byte("@")}}}, 40647, "Bad resume token: " +
			"_data of missing or of wrong type. Expected string, got {_data: BinData(0, \"40\")}"},
		{bson.D{{Key: "_data", Value: data}, {Key: "_typeBits", Value: "x"}}, 40648,
			`Bad resume token: _typeBits of wrong type {_data: "` + data + `", _typeBits: "x"}`},
	} {
		_, err := token.Parse(test.doc)
		var e *mongoerr.Error
		if !errors.As(err, &e) || e.Code != test.code || e.Message != test.message {
			t.Errorf("Parse(%v) = %v, want (%d) %s", test.doc, err, test.code, test.message)
		}
	}
}

func TestParseAcceptsWhatAServerAccepts(t *testing.T) {
	t.Parallel()
	const insert = eventHead + "461E5F6964002B020004"
	for data, want := range map[string]string{
		strings.ToLower(insert): insert,
		insert + "00":           insert, // what follows the end
		insert + "AB":           insert,
		insert[:len(insert)-2]:  insert, // an end that is missing
		eventHead:               eventHead + "04",
		strings.Replace(insert, "461E", "46DE", 1): strings.Replace(insert, "461E", "46DE", 1),
		"292B0229296E04": "8200000000000000002B0229296E04",
	} {
		tok, err := token.Parse(bson.D{{Key: "_data", Value: data}, {Key: "other", Value: true}})
		if err != nil || tok.Hex() != want {
			t.Errorf("Parse(%s) = %s, %v, want %s", data, tok.Hex(), err, want)
		}
	}
}

func TestHighWaterMarksBelongToNoEvent(t *testing.T) {
	t.Parallel()
	for data, valid := range map[string]bool{
		"826B0E1408000000382B0229296E04":   true,
		"826B0E1408000000382B0229296F04":   false,
		"826B0E1408000000382B02292B026E04": false,
	} {
		tok, err := token.Parse(bson.D{{Key: "_data", Value: data}})
		if err != nil {
			t.Fatal(err)
		}
		if err := tok.CheckHighWaterMark(); (err == nil) != valid {
			t.Errorf("%s: %v, want valid %v", data, err, valid)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, data := range []string{
		eventHead + "461E5F6964002B020004", eventHead + "463C5F6964003C6100FF62000004",
		eventHead + "46AA5F696400AA66001E71002B02000004", eventHead + "465A5F6964005AFF00000004",
		"826B0DA8E4000000012B0229296E04", "50505050", "", "96FFFFFFFF", "5AFFFFFFFFFF04",
		"826B0E1408000000382B042C0100296E14461E5F6964002B0200292904",
	} {
		f.Add(data, []byte{0x82, 0x80, 0x01})
	}
	f.Fuzz(func(t *testing.T, data string, bits []byte) {
		tok, err := token.Parse(bson.D{
			{Key: "_data", Value: data},
			{Key: "_typeBits", Value: bson.Binary{Data: bits}},
		})
		if err != nil {
			return
		}
		again, err := token.Parse(tok.Document())
		if err != nil || again != tok {
			t.Errorf("%s is written as %v, which is %+v, %v, not %+v", data, tok, again, err, tok)
		}
	})
}
