package wire

import (
	"errors"
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

// MaxMessage is the largest message that a server accepts, in bytes.
const MaxMessage = 48_000_000

const headerSize = 16

// Request is a command as it arrived.
type Request struct {
	ID      int32
	Command bson.D // document sequences are fields of it, as arrays

	Exhaust bool // the client takes several answers to one command
	Silent  bool // the client takes no answer at all
	Legacy  bool // arrived as OP_QUERY, and is answered in the old form

	// Err says that the message is well framed and what it contains is no command. The client is
	// to be answered with it.
	Err error
}

// contentError says that a document is not what BSON allows.
type contentError struct{ err error }

func (e *contentError) Error() string { return e.err.Error() }

var errCut = errors.New("the message is cut off")

// Read reads the next command. It returns io.EOF itself when the client has closed the connection
// between two messages.
func Read(r io.Reader) (Request, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return Request{}, err
	}
	length, id, _, opcode, _, _ := wiremessage.ReadHeader(header[:])
	if length < headerSize || length > MaxMessage {
		return Request{}, fmt.Errorf("read message: a length of %d bytes", length)
	}
	body := make([]byte, length-headerSize)
	if _, err := io.ReadFull(r, body); err != nil {
		return Request{}, fmt.Errorf("read message: %w: %w", errCut, err)
	}
	var req Request
	var err error
	switch opcode {
	case wiremessage.OpMsg:
		req, err = readMsg(body)
	//lint:ignore SA1019 drivers still introduce themselves by it
	case wiremessage.OpQuery:
		req, err = readQuery(body)
	default:
		err = fmt.Errorf("memongo does not support messages of opcode %d (%s)", opcode, opcode)
	}
	if content, ok := err.(*contentError); ok {
		return Request{ID: id, Err: content.err}, nil
	}
	if err != nil {
		return Request{}, fmt.Errorf("read message: %w", err)
	}
	req.ID = id
	return req, nil
}

func readMsg(body []byte) (Request, error) {
	flags, rest, ok := wiremessage.ReadMsgFlags(body)
	if !ok {
		return Request{}, errCut
	}
	if flags&wiremessage.ChecksumPresent != 0 {
		return Request{}, errors.New("memongo does not support checksums")
	}
	command, err := sections(rest)
	return Request{
		Command: command,
		Exhaust: flags&wiremessage.ExhaustAllowed != 0,
		Silent:  flags&wiremessage.MoreToCome != 0,
	}, err
}

// sections joins the body and the document sequences of a message into one document.
func sections(rest []byte) (bson.D, error) {
	var command, sequences bson.D
	for len(rest) > 0 {
		kind, after, ok := wiremessage.ReadMsgSectionType(rest)
		if !ok {
			return nil, errCut
		}
		rest = after
		var err error
		switch kind {
		case wiremessage.SingleDocument:
			command, rest, err = singleDocument(rest)
		case wiremessage.DocumentSequence:
			var sequence bson.E
			sequence, rest, err = documentSequence(rest)
			sequences = append(sequences, sequence)
		default:
			err = fmt.Errorf("a section of the unknown kind %d", kind)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(command) == 0 {
		return nil, errors.New("the command is empty")
	}
	return append(command, sequences...), nil
}

func singleDocument(src []byte) (bson.D, []byte, error) {
	raw, rest, ok := wiremessage.ReadMsgSectionSingleDocument(src)
	if !ok {
		return nil, nil, errCut
	}
	command, err := value.Decode(bson.Raw(raw))
	if err != nil {
		err = &contentError{err}
	}
	return command, rest, err
}

func documentSequence(src []byte) (bson.E, []byte, error) {
	name, raws, rest, ok := wiremessage.ReadMsgSectionDocumentSequence(src)
	if !ok {
		return bson.E{}, nil, errCut
	}
	docs := make(bson.A, 0, len(raws))
	for _, raw := range raws {
		doc, err := value.Decode(bson.Raw(raw))
		if err != nil {
			return bson.E{}, nil, &contentError{err}
		}
		docs = append(docs, doc)
	}
	return bson.E{Key: name, Value: docs}, rest, nil
}
