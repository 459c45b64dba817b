package simulation

import (
	"errors"
	"net"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"
)

const headerSize = 16

func readMessage(from net.Conn) ([]byte, error) {
	header := make([]byte, headerSize)
	if err := readFull(from, header); err != nil {
		return nil, err
	}
	length, _, _, _, _, ok := wiremessage.ReadHeader(header)
	if !ok || length < headerSize {
		return nil, errors.New("read message: no header")
	}
	m := make([]byte, length)
	copy(m, header)
	return m, readFull(from, m[headerSize:])
}

func readFull(from net.Conn, p []byte) error {
	for len(p) > 0 {
		n, err := from.Read(p)
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// commandOf reads what a message asks for; nothing if it is not of the kind that commands have.
func commandOf(m []byte) command {
	const bodyAt = headerSize + 5 // flags, and the kind of the first section
	_, _, _, opcode, _, _ := wiremessage.ReadHeader(m)
	if opcode != wiremessage.OpMsg || len(m) < bodyAt {
		return command{}
	}
	first, err := bson.Raw(m[bodyAt:]).IndexErr(0)
	if err != nil {
		return command{}
	}
	collection, _ := first.Value().StringValueOK()
	_, err = bson.Raw(m[bodyAt:]).LookupErr("autocommit")
	return command{name: first.Key(), collection: collection, transaction: err == nil}
}
