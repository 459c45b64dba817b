package conformance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// stillWaiting is how long a command must have no answer to count as one that waits.
const stillWaiting = 100 * time.Millisecond

// heartbeat is the shortest interval that the driver takes.
const heartbeat = 500 * time.Millisecond

// player plays a recording.
type player struct {
	c        *C
	client   *mongo.Client
	app      string
	notation *notation
	sessions map[string]*mongo.Session
	streams  map[string]*followed
	pending  map[string]chan outcome
	kept     map[string]any
	last     map[string]bson.D // the last answer in a session
}

func (r recording) run(c *C) {
	c.Helper()
	p := r.newPlayer(c)
	defer p.tidy(r.uses)
	for _, t := range r.turns {
		if got := p.play(t); !t.answersAsWanted(got) {
			c.Fatalf("%s\nis answered\n  %s\nnot\n  %s", t.source,
				strings.Join(got, "\n  "), strings.Join(t.want, "\n  "))
		}
	}
}

func (r recording) newPlayer(c *C) *player {
	p := &player{
		c:        c,
		client:   c.bare,
		app:      c.DB.Name(),
		notation: &notation{db: c.DB.Name()},
		sessions: map[string]*mongo.Session{},
		streams:  map[string]*followed{},
		pending:  map[string]chan outcome{},
		kept:     map[string]any{},
		last:     map[string]bson.D{},
	}
	if r.uses != "" {
		// After some codes the driver waits for the next heartbeat.
		p.client = c.Connect(options.Client().SetAppName(p.app).SetHeartbeatInterval(heartbeat))
		p.notation.passed, _ = lookup(p.turnOff(r.uses), "count").(int32)
	}
	return p
}

// turnOff turns a fail point off and returns the answer.
func (p *player) turnOff(name string) bson.D {
	ctx, cancel := context.WithTimeout(context.Background(), tidyTime)
	defer cancel()
	answer, _ := answerOf(p.client.Database("admin").RunCommand(ctx, bson.D{
		{Key: "configureFailPoint", Value: name}, {Key: "mode", Value: "off"},
	}).Raw())
	return answer // a server without fail points has none on
}

// tidy ends what a recording leaves open, also where it was cut short.
func (p *player) tidy(uses string) {
	ctx, cancel := context.WithTimeout(context.Background(), tidyTime)
	defer cancel()
	admin := p.client.Database("admin")
	if uses != "" {
		p.turnOff(uses)
	}
	ids := bson.A{}
	for _, session := range p.sessions {
		ids = append(ids, session.ID())
	}
	if len(ids) > 0 {
		_ = admin.RunCommand(ctx, bson.D{{Key: "killSessions", Value: ids}}).Err()
	}
	for _, answer := range p.pending {
		<-answer
	}
}

// play carries out a turn and returns the lines that answer it.
func (p *player) play(t turn) []string {
	p.c.Helper()
	p.notation.positions = t.exact
	switch t.verb {
	case "run":
		return p.run(t)
	case "start":
		answer := make(chan outcome, 1)
		p.pending[t.who] = answer
		db, command, session := p.database(t), p.command(t), p.session(t.who)
		go func() {
			defer close(answer)
			document, err := p.send(db, session, command)
			answer <- outcome{document, err}
		}()
		return nil
	case "await":
		return p.await(t.who)
	case "waits":
		select {
		case answer := <-p.pending[t.who]:
			return p.lines(answer.document, answer.err)
		case <-time.After(stillWaiting):
			return nil
		}
	case "let":
		p.kept[t.who] = p.resolve(t.arg)
		return nil
	}
	return p.playStream(t)
}

func (p *player) await(who string) []string {
	answer, ok := <-p.pending[who]
	if !ok {
		return []string{"nothing is awaited"}
	}
	return p.lines(answer.document, answer.err)
}

// outcome is an answer, or why there is none.
type outcome struct {
	document bson.D
	err      error
}

func (p *player) run(t turn) []string {
	p.c.Helper()
	answer, err := p.send(p.database(t), p.session(t.who), p.command(t))
	p.last[t.who] = answer
	if t.who != "" && lookup(answer, "cursor", "id") != (missing{}) {
		p.follow(t.who, answer)
	}
	return p.lines(answer, err)
}

func (p *player) lines(answer bson.D, err error) []string {
	if err != nil {
		if mongo.IsNetworkError(err) {
			return []string{"! network"}
		}
		return []string{fmt.Sprintf("! %v", err)}
	}
	return []string{p.notation.answer(answer)}
}

func (p *player) database(t turn) *mongo.Database {
	switch t.db {
	case "admin":
		return p.client.Database("admin")
	case "other":
		return p.client.Database(p.c.DB.Name() + "_other")
	}
	return p.client.Database(p.c.DB.Name())
}

func (p *player) session(who string) *mongo.Session {
	p.c.Helper()
	if who == "" {
		return nil
	}
	if p.sessions[who] == nil {
		session, err := p.client.StartSession(options.Session().SetCausalConsistency(false))
		if err != nil {
			p.c.Fatalf("start session: %v", err)
		}
		p.sessions[who] = session
	}
	return p.sessions[who]
}

// send returns the answer of a server, whatever it says. The error is that there was none.
func (p *player) send(db *mongo.Database, session *mongo.Session, command bson.D) (bson.D, error) {
	ctx := p.c.Context()
	if session != nil {
		ctx = mongo.NewSessionContext(ctx, session)
	}
	return answerOf(db.RunCommand(ctx, command).Raw())
}
