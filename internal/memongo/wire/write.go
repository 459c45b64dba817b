package wire

import (
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"
)

// Write answers a request. More says that another answer to it follows without being asked for.
func Write(w io.Writer, to Request, answer bson.D, more bool) error {
	raw, err := bson.Marshal(answer)
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	opcode := wiremessage.OpMsg
	if to.Legacy {
		opcode = wiremessage.OpReply
	}
	at, message := wiremessage.AppendHeaderStart(
		make([]byte, 0, len(raw)+64), wiremessage.NextRequestID(), to.ID, opcode)
	if to.Legacy {
		message = wiremessage.AppendReplyFlags(message, wiremessage.AwaitCapable)
		message = wiremessage.AppendReplyCursorID(message, 0)
		message = wiremessage.AppendReplyStartingFrom(message, 0)
		message = wiremessage.AppendReplyNumberReturned(message, 1)
	} else {
		var flags wiremessage.MsgFlag
		if more {
			flags = wiremessage.MoreToCome
		}
		message = wiremessage.AppendMsgFlags(message, flags)
		message = wiremessage.AppendMsgSectionType(message, wiremessage.SingleDocument)
	}
	message = append(message, raw...)
	message = bsoncore.UpdateLength(message, at, int32(len(message)))
	_, err = w.Write(message)
	return err
}
