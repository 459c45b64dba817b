package fw_test

import (
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	fw "github.com/fwgen/fwgen/runtime"
)

// wantHeld checks that apps show a stream as held, and by whom.
func (f *fleet) wantHeld(reason string, apps ...*fw.App) {
	f.Helper()
	for _, app := range apps {
		if s := stateOf(app); s.State != fw.StateHeld || s.Reason != reason {
			f.Errorf("%s shows %s, %s: %q", app.Status().Instance.Name, s.State, s.Code, s.Reason)
		}
	}
}

func TestAHeldStreamShowsThatAtOnce(t *testing.T) {
	inModes(t, func(f *fleet) {
		blue, _ := f.run("blue")
		green, _ := f.run("green")
		time.Sleep(2 * time.Second)
		f.must(blue.Hold(f.Context(), "orders", fw.Hold{Reason: "migration"}))
		f.wantHeld("held by blue: migration", blue)
		time.Sleep(time.Second)
		f.wantHeld("held by blue: migration", blue, green)
	})
}

func TestAHoldInAShellShowsAtOnce(t *testing.T) {
	inModes(t, func(f *fleet) {
		blue, _ := f.run("blue")
		green, _ := f.run("green")
		time.Sleep(2 * time.Second)
		f.shell(bson.M{"$set": bson.M{"hold": "see the ticket"}})
		time.Sleep(time.Second)
		f.wantHeld("held by somebody who gave no name", blue, green)
	})
}

func TestAHoldShowsWhileAnInstanceSitsOut(t *testing.T) {
	inFleet(t, fw.SingleLeader, func(f *fleet) {
		blue, _ := f.run("blue")
		green, _ := f.run("green")
		f.must(blue.StepDown(f.Context(), "orders"))
		time.Sleep(2 * time.Second)
		f.must(green.Hold(f.Context(), "orders", fw.Hold{Reason: "migration"}))
		time.Sleep(time.Second)
		f.wantHeld("held by green: migration", blue, green)
		f.must(green.Release(f.Context(), "orders"))
		time.Sleep(2 * time.Second)
		if s := stateOf(blue); s.State != fw.StateStandby {
			f.Errorf("after the release: %s %s", s.State, s.Reason)
		}
	})
}

// By the clock of the server, which may be ahead of ours.
func TestAHoldThatIsOverIsNotWaitedFor(t *testing.T) {
	inModes(t, func(f *fleet) {
		blue, _ := f.run("blue")
		time.Sleep(2 * time.Second)
		began := time.Now()
		end := began.Add(time.Nanosecond) // stored as a millisecond that has passed
		err := blue.Hold(f.Context(), "orders", fw.Hold{Until: end})
		if err == nil || !strings.Contains(err.Error(), "over already") {
			f.Errorf("Hold = %v", err)
		}
		if took := time.Since(began); took > time.Second {
			f.Errorf("it took %v", took)
		}
		if s := stateOf(blue); s.State != fw.StateRunning {
			f.Errorf("status: %s %s", s.State, s.Reason)
		}
	})
}

// shell changes the lease as an operator does.
func (f *fleet) shell(change bson.M) {
	f.Helper()
	_, err := f.client.Database("shop").Collection("_fw_locks").UpdateOne(f.Context(),
		bson.M{"_id": "orders"}, change, options.UpdateOne().SetUpsert(true))
	f.must(err)
}
