package storage

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// Codes of the server's parser of commands.
const missingRequiredField int32 = 40414

// optionOrder is the order in which listCollections shows a collection's options.
var optionOrder = [...]string{
	"changeStreamPreAndPostImages", "validator", "validationLevel", "validationAction",
}

// createOptions checks the fields of a create command and returns those that are kept.
func createOptions(db string, given bson.D) (kept bson.D, err error) {
	for _, field := range given {
		if err := checkOption("create", field); err != nil {
			return nil, err
		}
	}
	_, sized := value.Get(given, "size")
	switch capped := value.Truthy(value.Lookup(given, "capped")); {
	case capped && !sized:
		return nil, invalidOptions("the 'size' field is required when 'capped' is true")
	case capped:
		return nil, mongoerr.Unsupported("capped collections")
	case sized || value.Lookup(given, "max") != value.Missing:
		return nil, invalidOptions("the 'capped' field needs to be true when either the 'size' " +
			"or 'max' fields are present")
	}
	kept = orderedOptions(given)
	if _, images := value.Get(kept, "changeStreamPreAndPostImages"); images && db == "local" {
		return nil, invalidOptions("changeStreamPreAndPostImages collection option is not " +
			"supported on the local database")
	}
	return kept, nil
}

// checkOption checks one field of create or collMod that is an option of the collection.
func checkOption(command string, field bson.E) error {
	path := command + "." + field.Key
	switch field.Key {
	case "changeStreamPreAndPostImages":
		return checkImages(path, field.Value)
	case "validator":
		_, err := object(path, field.Value)
		return err
	case "validationLevel":
		return checkEnum(path, field.Value, "off", "strict", "moderate")
	case "validationAction":
		return checkEnum(path, field.Value, "error", "warn")
	}
	if command == "create" {
		return checkCreateOnly(path, field)
	}
	return unknownField(path)
}

// checkCreateOnly takes options that change nothing and names those that a server has.
func checkCreateOnly(path string, field bson.E) error {
	switch field.Key {
	case "writeConcern", "comment", "maxTimeMS", "idIndex", "storageEngine", "indexOptionDefaults",
		"capped", "size", "max":
		return nil
	case "collation":
		if value.Lookup(field.Value, "locale") == "simple" {
			return nil
		}
		return mongoerr.Unsupported("collections with a collation")
	case "viewOn", "pipeline":
		return mongoerr.Unsupported("views")
	case "expireAfterSeconds":
		return invalidOptions("'expireAfterSeconds' is only supported on time-series collections " +
			"or when the 'clusteredIndex' option is specified")
	case "temp":
		return invalidOptions("the 'temp' field is an invalid option")
	case "timeseries", "clusteredIndex", "encryptedFields", "autoIndexId":
		return mongoerr.Unsupported("the collection option %s", field.Key)
	}
	return unknownField(path)
}

func checkImages(path string, v any) error {
	images, err := object(path, v)
	if err != nil {
		return err
	}
	for _, field := range images {
		if field.Key != "enabled" {
			return unknownField(path + "." + field.Key)
		}
		if _, ok := field.Value.(bool); !ok {
			return wrongType(path+".enabled", "bool", field.Value)
		}
	}
	if len(images) == 0 {
		return mongoerr.New(missingRequiredField,
			"BSON field '%s.enabled' is missing but a required field", path)
	}
	return nil
}

func object(path string, v any) (bson.D, error) {
	d, ok := v.(bson.D)
	if !ok {
		return nil, wrongType(path, "object", v)
	}
	return d, nil
}

func checkEnum(path string, v any, allowed ...string) error {
	s, ok := v.(string)
	if !ok {
		return wrongType(path, "string", v)
	}
	if !slices.Contains(allowed, s) {
		return mongoerr.New(mongoerr.BadValue,
			"Enumeration value '%s' for field '%s' is not a valid value.", s, path)
	}
	return nil
}

func wrongType(path, want string, got any) error {
	return mongoerr.New(mongoerr.TypeMismatch,
		"BSON field '%s' is the wrong type '%s', expected type '%s'",
		path, value.TypeName(got), want)
}

func unknownField(path string) error {
	return mongoerr.New(mongoerr.UnknownField, "BSON field '%s' is an unknown field.", path)
}

// orderedOptions returns the options that are kept, without those that say nothing.
func orderedOptions(given bson.D) bson.D {
	kept := bson.D{}
	for _, name := range optionOrder {
		v, ok := value.Get(given, name)
		if !ok {
			continue
		}
		switch name {
		case "changeStreamPreAndPostImages":
			if value.Lookup(v, "enabled") != true {
				continue
			}
		case "validator":
			if filter, _ := v.(bson.D); len(filter) == 0 {
				continue
			}
		}
		kept = append(kept, bson.E{Key: name, Value: v})
	}
	return kept
}
