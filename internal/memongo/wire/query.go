package wire

//lint:file-ignore SA1019 drivers still introduce themselves by OP_QUERY, however deprecated it is

import (
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"

	"github.com/fwgen/fwgen/internal/memongo/value"
)

func readQuery(body []byte) (Request, error) {
	_, rest, ok := wiremessage.ReadQueryFlags(body)
	if !ok {
		return Request{}, errCut
	}
	name, rest, ok := wiremessage.ReadQueryFullCollectionName(rest)
	if !ok {
		return Request{}, errCut
	}
	_, rest, _ = wiremessage.ReadQueryNumberToSkip(rest)
	_, rest, _ = wiremessage.ReadQueryNumberToReturn(rest)
	raw, _, ok := wiremessage.ReadQueryQuery(rest)
	if !ok {
		return Request{}, errCut
	}
	command, err := value.Decode(bson.Raw(raw))
	if err != nil {
		return Request{}, err
	}
	if len(command) == 0 {
		return Request{}, errors.New("the command is empty")
	}
	db, _, _ := strings.Cut(name, ".")
	command = append(command, bson.E{Key: "$db", Value: db})
	return Request{Command: command, Legacy: true}, nil
}
