package redisstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/fwgen/fwgen/runtime/store"
)

// errAnswer says that a script was not answered as it answers: somebody else's is under its name.
var errAnswer = errors.New("the answer is none of a lease")

// instance is a store.Instance as it is stored.
type instance struct {
	Name    string `json:"name"`
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Process string `json:"process"`
}

func newInstance(i store.Instance) instance {
	return instance{Name: i.Name, Host: i.Host, PID: i.PID, Process: i.Process}
}

// fields are those of a stored lease. People edit them by hand: one of an unexpected kind reads as
// zero rather than as an error that would stop a stream.
type fields map[string]string

func (f fields) int(name string) int64 {
	n, _ := strconv.ParseInt(f[name], 10, 64)
	return n
}

// left is the time from now until the instant in a field.
func (f fields) left(name string, now int64) time.Duration {
	return time.Duration(f.int(name)-now) * time.Millisecond
}

func (f fields) instance(name string) store.Instance {
	var i instance
	_ = json.Unmarshal([]byte(f[name]), &i)
	return store.Instance{Name: i.Name, Host: i.Host, PID: i.PID, Process: i.Process}
}

// read reads what a script answers or publishes: the stream, the time, names and values.
func read(answer any) (store.Lease, error) {
	list, ok := answer.([]any)
	if !ok || len(list) < 2 || len(list)%2 != 0 {
		return store.Lease{}, fmt.Errorf("%w: %T of %d", errAnswer, answer, len(list))
	}
	texts := make([]string, len(list))
	for i, value := range list {
		if texts[i], ok = value.(string); !ok {
			return store.Lease{}, fmt.Errorf("%w: it has a %T", errAnswer, value)
		}
	}
	now, err := strconv.ParseInt(texts[1], 10, 64)
	if err != nil {
		return store.Lease{}, fmt.Errorf("%w: its time is %q", errAnswer, texts[1])
	}
	f := fields{}
	for i := 2; i < len(texts); i += 2 {
		f[texts[i]] = texts[i+1]
	}
	return f.lease(texts[0], now), nil
}

func (f fields) lease(stream string, now int64) store.Lease {
	lease := store.Lease{
		Stream:    stream,
		Owner:     f["owner"],
		Term:      f.int("term"),
		TTL:       time.Duration(f.int("ttlMs")) * time.Millisecond,
		Priority:  int(f.int("priority")),
		Contender: f.contender(now),
		Hold:      f.hold(now),
		Released:  store.ReleaseReason(f["released"]),
		Instance:  f.instance("instance"),
	}
	if f["expiresAt"] != "" {
		lease.ExpiresIn = f.left("expiresAt", now)
	}
	return lease
}

// contender is nil where nobody contends any more.
func (f fields) contender(now int64) *store.Contender {
	c := &store.Contender{
		Owner:     f["contenderOwner"],
		Priority:  int(f.int("contenderPriority")),
		Instance:  f.instance("contenderInstance"),
		ExpiresIn: f.left("contenderExpiresAt", now),
	}
	if c.Owner == "" || c.ExpiresIn <= 0 || c.Priority <= int(f.int("priority")) {
		return nil
	}
	return c
}

// hold is nil where there is none, or it is over.
func (f fields) hold(now int64) *store.Hold {
	if f["holdAt"] == "" {
		return nil
	}
	hold := &store.Hold{
		By: f["holdBy"], Reason: f["holdReason"], At: time.UnixMilli(f.int("holdAt")).UTC(),
	}
	if until := f.int("holdUntil"); until != 0 {
		hold.Until, hold.ExpiresIn = time.UnixMilli(until).UTC(), f.left("holdUntil", now)
		if hold.ExpiresIn <= 0 {
			return nil
		}
	}
	return hold
}
