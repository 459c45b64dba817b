package memongo

import (
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/internal/memongo/mongoerr"
	"github.com/fwgen/fwgen/internal/memongo/value"
)

// applyParameter makes a parameter take effect that has just been set. The caller holds mu.
func (s *Server) applyParameter(name string) {
	switch name {
	case "ttlMonitorEnabled", "ttlMonitorSleepSecs":
		interval := s.seconds("ttlMonitorSleepSecs")
		if s.parameters["ttlMonitorEnabled"] == false {
			interval = -1
		}
		s.engine.SetTTLMonitorInterval(interval)
	case "transactionLifetimeLimitSeconds":
		s.engine.SetTransactionLifetime(s.seconds(name))
	}
}

// seconds returns a parameter that is a number of seconds.
func (s *Server) seconds(name string) time.Duration {
	n, _ := value.Int64(s.parameters[name])
	return time.Duration(n) * time.Second
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
		before, ok := r.server.parameters[e.Key]
		if !ok {
			return nil, mongoerr.New(0, "attempted to set unrecognized parameter [%s], use "+
				"help:true to see options ", e.Key)
		}
		_, flag := before.(bool)
		v, err := settable(e, flag)
		if err != nil {
			return nil, err
		}
		answer = append(answer, bson.E{Key: "was", Value: before})
		r.server.parameters[e.Key] = v
		r.server.applyParameter(e.Key)
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

// settable returns the value that a parameter is set to: a flag or a number that is not negative.
func settable(e bson.E, flag bool) (any, error) {
	if e.Key == "enableTestCommands" || e.Key == "featureCompatibilityVersion" {
		return nil, mongoerr.New(mongoerr.IllegalOperation,
			"not allowed to change [%s] at runtime", e.Key)
	}
	if flag {
		return value.Truthy(e.Value), nil
	}
	n, ok := value.Int64(e.Value)
	if !ok || n < 0 || n > math.MaxInt32 {
		return nil, mongoerr.New(mongoerr.BadValue, "Invalid value for parameter %s: %s", e.Key,
			value.Show(e.Value))
	}
	return int32(n), nil
}
