package conformance

import (
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// answerOf returns what a server answered, also where the driver makes an error of it. The error
// is that there was no answer.
func answerOf(raw bson.Raw, err error) (answer bson.D, _ error) {
	var refused mongo.CommandError
	var failed mongo.WriteException
	switch {
	case errors.As(err, &refused) && refused.Raw != nil:
		raw, err = refused.Raw, nil
	case errors.As(err, &failed) && failed.Raw != nil:
		raw, err = failed.Raw, nil
	}
	if err != nil {
		return nil, err
	}
	return answer, bson.Unmarshal(raw, &answer)
}

// lookup returns a field of a document, by its path of names.
func lookup(d bson.D, path ...string) any {
	var v any = d
	for _, name := range path {
		d, _ := v.(bson.D)
		i := slices.IndexFunc(d, func(e bson.E) bool { return e.Key == name })
		if i < 0 {
			return missing{}
		}
		v = d[i].Value
	}
	return v
}

// missing is what lookup returns for a field that is not there.
type missing struct{}
