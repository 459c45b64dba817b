package storage

import "go.mongodb.org/mongo-driver/v2/bson"

// deeper reports whether documents and arrays lie deeper in one another than allowed.
func deeper(v any, allowed int) bool {
	switch v := v.(type) {
	case bson.D:
		if allowed == 0 {
			return true
		}
		for _, field := range v {
			if deeper(field.Value, allowed-1) {
				return true
			}
		}
	case bson.A:
		if allowed == 0 {
			return true
		}
		for _, element := range v {
			if deeper(element, allowed-1) {
				return true
			}
		}
	}
	return false
}
