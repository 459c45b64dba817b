package token

import (
	"encoding/hex"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Codes of malformed tokens that have no name.
const (
	codeOversized       = 40646
	codeTypeBits        = 40648
	codeNoTxnIndex      = 50793
	codeTxnIndex        = 50794
	codeVersion         = 50795
	codeNoVersion       = 50796
	codeFraction        = 50810
	codeVersionType     = 50854
	codeTxnIndexType    = 50855
	codeInvalidateType  = 50870
	codeNoInvalidate    = 50872
	codeNoKind          = 51055
	codeKind            = 51057
	codeUUIDOrNull      = 6189500
	codeIdentifier      = 6189503
	codeHighWaterMark   = 6189505
	codeFragment        = 7182501
	codeInvalidUUID     = 207
	newestVersion       = 2
	fragmentLimit       = math.MaxInt32 - 1
	transactionMaxIndex = math.MaxInt32
)

// Parse reads a token out of its document. It accepts what a server accepts, and refuses the rest
// with the server's codes and messages.
func Parse(doc bson.D) (Token, error) {
	data, bits, err := fields(doc)
	if err != nil {
		return Token{}, err
	}
	raw, err := hex.DecodeString(data)
	if err != nil {
		return Token{}, mongoerr.New(mongoerr.FailedToParse,
			"resume token string was not a valid hex string")
	}
	elements, err := elementsOf(raw)
	if err != nil {
		return Token{}, err
	}
	p := &parser{elements: elements}
	p.token.ID.bits = bits
	if err := p.run(); err != nil {
		return Token{}, err
	}
	return p.token, nil
}

// fields takes a token's document apart. Other fields are ignored.
func fields(doc bson.D) (data string, bits typeBits, err error) {
	found := false
	for _, e := range doc {
		switch e.Key {
		case "_data":
			data, found = e.Value.(string)
		case "_typeBits":
			b, ok := e.Value.(bson.Binary)
			if !ok {
				return "", "", mongoerr.New(codeTypeBits,
					"Bad resume token: _typeBits of wrong type %s", value.ShowResult(doc))
			}
			bits = unpack(b.Data)
		}
	}
	if !found {
		return "", "", mongoerr.New(mongoerr.ResumeTokenNotADocument, "Bad resume token: "+
			"_data of missing or of wrong type. Expected string, got %s", value.ShowResult(doc))
	}
	return data, bits, nil
}

// parser makes sense of a token's elements, one after the other.
type parser struct {
	elements []element
	token    Token
}

func (p *parser) next() (element, bool) {
	if len(p.elements) == 0 {
		return element{}, false
	}
	e := p.elements[0]
	p.elements = p.elements[1:]
	return e, true
}

func (p *parser) run() error {
	first, ok := p.next()
	if !ok {
		return mongoerr.New(mongoerr.ResumeTokenEmpty, "invalid empty resume token")
	}
	p.token.TS = first.timestamp() // zero where it is something else
	for _, step := range []func() error{
		p.version, p.kind, p.txnIndex, p.fromInvalidate, p.uuid, p.identifier, p.fragment, p.rest,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) version() error {
	e, ok := p.next()
	if !ok {
		return mongoerr.New(codeNoVersion, "Resume Token does not contain version")
	}
	n, isNumber, err := e.int()
	switch {
	case err != nil:
		return err
	case !isNumber:
		return mongoerr.New(codeVersionType, "Invalid resume token: wrong type for version")
	case n < 0 || n > newestVersion:
		return mongoerr.New(codeVersion,
			"Invalid Resume Token: only supports version 0, 1 and 2")
	case n == 0:
		return mongoerr.Unsupported("resume tokens of version 0")
	}
	p.token.Version = int(n)
	return nil
}

func (p *parser) kind() error {
	e, ok := p.next()
	if !ok {
		return mongoerr.New(codeNoKind, "Resume Token does not contain tokenType")
	}
	n, _, err := e.int()
	if err != nil {
		return err
	}
	p.token.Kind = Kind(n)
	if p.token.Kind != Event && p.token.Kind != HighWaterMark {
		return mongoerr.New(codeKind, "Token type %d not recognized", n)
	}
	return nil
}

func (p *parser) txnIndex() error {
	e, ok := p.next()
	if !ok {
		return mongoerr.New(codeNoTxnIndex, "Resume Token does not contain txnOpIndex")
	}
	n, isNumber, err := e.int()
	switch {
	case err != nil:
		return err
	case !isNumber:
		return mongoerr.New(codeTxnIndexType, "Resume Token txnOpIndex is not an integer")
	case n < 0 || n > transactionMaxIndex:
		return mongoerr.New(codeTxnIndex,
			"Invalid Resume Token: txnOpIndex should be non-negative")
	}
	p.token.TxnIndex = int(n)
	return nil
}

func (p *parser) fromInvalidate() error {
	e, ok := p.next()
	if !ok {
		return mongoerr.New(codeNoInvalidate, "Resume Token does not contain fromInvalidate")
	}
	if e.kind != boolFalse && e.kind != boolTrue {
		return mongoerr.New(codeInvalidateType, "Resume Token fromInvalidate is not a boolean.")
	}
	p.token.FromInvalidate = e.kind == boolTrue
	return nil
}

func (p *parser) uuid() error {
	e, ok := p.next()
	switch {
	case p.token.Version >= Splitting && (!ok || e.kind != null && e.kind != binData):
		return mongoerr.New(codeUUIDOrNull, "Expected UUID or null")
	case !ok, p.token.Version >= Splitting && e.kind == null:
		return nil
	}
	uuid, isUUID := e.uuid()
	if !isUUID {
		return mongoerr.New(codeInvalidUUID,
			"uuid must be a 16-byte binary field with UUID (4) subtype")
	}
	p.token.UUID = uuid
	if p.token.Kind == HighWaterMark {
		return invalidHighWaterMark()
	}
	return nil
}

func (p *parser) identifier() error {
	e, ok := p.next()
	if !ok {
		return nil
	}
	if e.kind != object {
		return mongoerr.New(codeIdentifier, "Resume Token eventIdentifier is not an object")
	}
	p.token.ID.key = string(e.raw)
	return nil
}

func (p *parser) fragment() error {
	if p.token.Version < Splitting {
		return nil
	}
	e, ok := p.next()
	if !ok {
		return nil
	}
	n, isNumber, err := e.int()
	if err != nil || !isNumber || n < 0 || n > fragmentLimit {
		return mongoerr.New(codeFragment,
			"Resume token 'fragmentNum' must be a non-negative integer.")
	}
	p.token.Fragment = int(n) + 1
	return nil
}

func (p *parser) rest() error {
	if _, ok := p.next(); ok {
		return mongoerr.New(codeOversized, "invalid oversized resume token")
	}
	return nil
}

// CheckHighWaterMark refuses a high-water mark that says what only an event's token can say. A
// server looks at that after it has asked a collection's token for a UUID.
func (t Token) CheckHighWaterMark() error {
	if t.Kind == HighWaterMark && (t.FromInvalidate || t.TxnIndex != 0) {
		return invalidHighWaterMark()
	}
	return nil
}

func invalidHighWaterMark() error {
	return mongoerr.New(codeHighWaterMark, "Invalid high water mark token")
}
