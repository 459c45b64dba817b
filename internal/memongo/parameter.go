package memongo

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// parameters are the ones of a server's that can be set, with what setting one does.
func parameters() map[string]func(*Server, int64) {
	return map[string]func(*Server, int64){
		"ttlMonitorEnabled": func(s *Server, v int64) {
			if v == 0 {
				s.engine.SetTTLMonitorInterval(-1)
			}
		},
		"ttlMonitorSleepSecs": func(s *Server, v int64) {
			s.engine.SetTTLMonitorInterval(time.Duration(v) * time.Second)
		},
		"transactionLifetimeLimitSeconds": func(s *Server, v int64) {
			s.engine.SetTransactionLifetime(time.Duration(v) * time.Second)
		},
	}
}

// initialParameters are the values of a server that nobody has set anything on.
func initialParameters() map[string]any {
	return map[string]any{
		"enableTestCommands":              true,
		"featureCompatibilityVersion":     bson.D{{Key: "version", Value: "6.0"}},
		"ttlMonitorEnabled":               true,
		"ttlMonitorSleepSecs":             int32(60),
		"transactionLifetimeLimitSeconds": int32(60),
	}
}

func getParameter(r *request) (bson.D, error) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	answer := bson.D{}
	for _, e := range named(r) {
		v, ok := r.server.parameters[e.Key]
		if !ok {
			return nil, mongoerr.New(0, "no option found to get")
		}
		answer = append(answer, bson.E{Key: e.Key, Value: v})
	}
	if len(answer) == 0 {
		return nil, mongoerr.New(0, "no option found to get")
	}
	return answer, nil
}

func setParameter(r *request) (bson.D, error) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	answer := bson.D{}
	for _, e := range named(r) {
		set, ok := parameters()[e.Key]
		if !ok {
			return nil, mongoerr.New(0, "attempted to set unrecognized parameter [%s], use help:true to see options ", e.Key)
		}
		n, isNumber := value.Int64(e.Value)
		if b, ok := e.Value.(bool); ok {
			isNumber = true
			if b {
				n = 1
			}
		}
		if !isNumber {
			return nil, mongoerr.New(mongoerr.BadValue, "Failed to parse %s: %v", e.Key, e.Value)
		}
		answer = append(answer, bson.E{Key: "was", Value: r.server.parameters[e.Key]})
		r.server.parameters[e.Key] = e.Value
		set(r.server, n)
	}
	if len(answer) == 0 {
		return nil, mongoerr.New(0, "no option found to set, use help:true to see options ")
	}
	return answer, nil
}

// named returns the parameters that the command names.
func named(r *request) bson.D {
	var names bson.D
	for _, e := range r.args.fields[1:] {
		if !isGeneric(e.Key) {
			names = append(names, e)
		}
	}
	return names
}
