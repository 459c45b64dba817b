package conformance

import (
	"regexp"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// command reads a command and puts in the values that its '<…>' stand for.
func (p *player) command(t turn) bson.D {
	p.c.Helper()
	text := t.arg
	if text == "" {
		text = "{}"
	}
	d, _ := p.fill(doc(text)).(bson.D)
	return append(d, t.extra...)
}

func (p *player) fill(v any) any {
	switch v := v.(type) {
	case bson.D:
		filled := make(bson.D, len(v))
		for i, e := range v {
			filled[i] = bson.E{Key: e.Key, Value: p.fill(e.Value)}
		}
		return filled
	case bson.A:
		filled := make(bson.A, len(v))
		for i := range v {
			filled[i] = p.fill(v[i])
		}
		return filled
	case string:
		return p.fillText(v)
	}
	return v
}

var longText = regexp.MustCompile(`^<(\w)\*(\d+)>$`)

func (p *player) fillText(text string) any {
	if long := longText.FindStringSubmatch(text); long != nil {
		n, _ := strconv.Atoi(long[2]) // it is digits
		return strings.Repeat(long[1], n)
	}
	name, ok := strings.CutPrefix(text, "<")
	name, closed := strings.CutSuffix(name, ">")
	if ok && closed && name != "db" && name != "app" {
		return p.resolve(name)
	}
	text = strings.ReplaceAll(text, "<db>", p.c.DB.Name())
	return strings.ReplaceAll(text, "<app>", p.app)
}

// resolve returns the value of a name.
func (p *player) resolve(name string) any {
	p.c.Helper()
	if v, ok := p.kept[name]; ok {
		return v
	}
	who, what, _ := strings.Cut(name, ".")
	switch what {
	case "lsid":
		var id bson.D
		if err := bson.Unmarshal(p.session(who).ID(), &id); err != nil {
			p.c.Fatalf("the id of session %s: %v", who, err)
		}
		return id
	case "operationTime":
		return lookup(p.last[who], "operationTime")
	}
	if s := p.streams[who]; s != nil {
		if v, ok := s.values()[what]; ok {
			return v
		}
	}
	p.c.Fatalf("there is no value %q", name)
	return nil
}
