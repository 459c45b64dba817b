package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/fwgen/fwgen/runtime/internal/integration/journal"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// shop is a user's program that runs as several processes.
type shop struct {
	*testing.T
	db      *mongo.Database
	uri     string
	binary  string
	journal string
	members map[string]*process // by instance
	seen    int                 // entries of the journal that were looked at
}

func newShop(t *testing.T) *shop {
	t.Helper()
	dir := userModule(t)
	goRun(t, dir, "tool", "fwgen", "./...")
	binary := filepath.Join(dir, "shop.exe")
	goRun(t, dir, "build", "-o", binary, ".")
	d := mongotest.Start(t, mongotest.Needs{Nodes: 3})
	return &shop{
		T: t, db: d.Database(t), uri: d.URI, binary: binary,
		journal: filepath.Join(dir, "journal"), members: map[string]*process{},
	}
}

func (s *shop) begin(instance string) {
	s.Helper()
	cmd := exec.Command(s.binary)
	cmd.Env = append(os.Environ(), "FW_INSTANCE="+instance, "MONGODB_URI="+s.uri,
		"SHOP_DATABASE="+s.db.Name(), "SHOP_JOURNAL="+s.journal)
	s.members[instance] = launch(s, instance, cmd)
}

// awaitLeader waits until a leader has taken over the position, or stored the first one.
func (s *shop) awaitLeader(term int64) (instance string) {
	s.Helper()
	eventually(s, patience, func() error {
		l, c := lockOf(s, s.db, "orders"), checkpointOf(s, s.db, "orders")
		if l.Term != term || c.Term != term || c.Position.Token == nil {
			return fmt.Errorf("nobody reads under term %d: %+v, %+v", term, l, c)
		}
		instance = l.Instance.Name
		return nil
	})
	return instance
}

// awaitStandby waits until an instance says that it stands by.
func (s *shop) awaitStandby(instance string) {
	s.Helper()
	eventually(s, patience, func() error {
		if !strings.Contains(s.members[instance].output.String(), "standing by") {
			return errors.New(instance + " does not stand by")
		}
		return nil
	})
}

type order struct {
	ID     bson.ObjectID `bson:"_id"`
	Status string        `bson:"status"`
	Total  any           `bson:"total"`
}

// insert inserts orders of a status, one after another.
func (s *shop) insert(n int, status string, total any) (ids []bson.ObjectID) {
	s.Helper()
	var orders []order
	for range n {
		orders = append(orders, order{bson.NewObjectID(), status, total})
		ids = append(ids, orders[len(orders)-1].ID)
	}
	_, err := s.db.Collection("orders").InsertMany(s.Context(), orders)
	must(s, err)
	return ids
}

// next waits for n more effects and returns them.
func (s *shop) next(n int) []journal.Entry {
	s.Helper()
	var all []journal.Entry
	eventually(s, patience, func() (err error) {
		all, err = journal.Read(s.journal)
		if err == nil && len(all) < s.seen+n {
			err = fmt.Errorf("%d more effects, want %d", len(all)-s.seen, n)
		}
		return err
	})
	more := all[s.seen:]
	s.seen = len(all)
	return more
}

// expect compares effects with what they should be: those of one process, in one order.
func (s *shop) expect(got []journal.Entry, member string, operation string, ids ...bson.ObjectID) {
	s.Helper()
	if len(got) != len(ids) {
		s.Errorf("%d effects, want %d", len(got), len(ids))
		return
	}
	pid := s.members[member].cmd.Process.Pid
	for i, e := range got {
		if e.Key != ids[i].Hex() || e.PID != pid || e.Stream != operation {
			s.Errorf("effect %d is %+v, want %s of %s by %s (%d)", i, e, operation, ids[i].Hex(),
				member, pid)
		}
	}
}

// A module of a user, from its source to two processes that hand over to each other.
func TestUserModuleFromDirectiveToFailover(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.begin("one")
	s.begin("two")
	leader := s.awaitLeader(1)
	standby := map[string]string{"one": "two", "two": "one"}[leader]
	s.awaitStandby(standby)

	total, err := bson.ParseDecimal128("12.34")
	must(t, err)
	ids := s.insert(200, "new", total)
	s.expect(s.next(200), leader, "insert", ids...)

	flaky := s.insert(1, "flaky", total)
	attempts := s.next(1)
	s.expect(attempts, leader, "insert", flaky...)
	if attempts[0].Attempt != 3 {
		t.Errorf("a flaky order succeeded at attempt %d, want 3", attempts[0].Attempt)
	}
	s.checkDeadLetters(total, leader, ids[0])
	s.awaitSettled()

	term := int64(1)
	for range 2 {
		killed := time.Now()
		s.members[leader].kill(t)
		first := s.expectTakeOver(standby, term+1, total)
		took := first.Sub(killed)
		t.Logf("SIGKILL of the leader: next event handled after %s", took.Round(time.Millisecond))
		if took > 4200*time.Millisecond {
			t.Errorf("next event handled %s after SIGKILL, want at most 4.2 s", took)
		}
		s.begin(leader)
		s.awaitStandby(leader)

		stopped := time.Now()
		s.members[standby].signal(t, syscall.SIGTERM)
		first = s.expectTakeOver(leader, term+2, total)
		s.members[standby].awaitExit(t, 10*time.Second)
		took = first.Sub(stopped)
		t.Logf("SIGTERM of the leader: next event handled after %s", took.Round(time.Millisecond))
		if took > time.Second {
			t.Errorf("next event handled %s after SIGTERM, want at most 1 s", took)
		}
		s.begin(standby)
		s.awaitStandby(standby)
		term += 2
	}
	for _, member := range s.members {
		member.signal(t, syscall.SIGTERM)
	}
	for _, member := range s.members {
		member.awaitExit(t, 10*time.Second)
	}
}

// expectTakeOver inserts and changes an order and returns when the member has handled the first.
// That no effect was repeated is chance after a kill, so those of others are left out.
func (s *shop) expectTakeOver(member string, term int64, total any) time.Time {
	s.Helper()
	ids := s.insert(1, "new", total)
	_, err := s.db.Collection("orders").UpdateByID(s.Context(), ids[0],
		bson.M{"$set": bson.M{"status": "paid"}})
	must(s, err)
	var mine []journal.Entry
	eventually(s, patience, func() error {
		all, err := journal.Read(s.journal)
		mine = slices.DeleteFunc(slices.Clone(all), func(e journal.Entry) bool {
			return e.Key != ids[0].Hex()
		})
		s.seen = len(all)
		return errors.Join(err, atLeast("effects", 2, func() int { return len(mine) })())
	})
	s.expect(mine[:1], member, "insert", ids[0])
	s.expect(mine[1:], member, "update", ids[0])
	if mine[1].Term != term {
		s.Errorf("handled under term %d, want %d", mine[1].Term, term)
	}
	if got := s.awaitLeader(term); got != member {
		s.Errorf("%s leads term %d, want %s", got, term, member)
	}
	return mine[0].At
}
