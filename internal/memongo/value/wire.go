package value

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Decode reads a document.
func Decode(raw bson.Raw) (bson.D, error) {
	d := bson.D{}
	if err := bson.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("decode document: %w", err)
	}
	return d, nil
}

// Encode writes a document. It must not have [Missing] in it.
func Encode(d bson.D) (bson.Raw, error) {
	if d == nil {
		d = bson.D{}
	}
	raw, err := bson.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode document: %w", err)
	}
	return raw, nil
}
