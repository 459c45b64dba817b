package lease_test

import (
	"testing"
	"time"
)

func TestB097ACrashIsTakenOverWithinTTLPlusOneSecond(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c")
		b.sleep(100 * time.Second)
		a.kill()
		took := b.await(c, ttl+time.Second)
		if took < ttl-heartbeat {
			t.Errorf("taken over %v after the crash: the lease was live", took)
		}
	})
}

func TestB097AReleaseIsTakenOverAtOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		a := b.startLeader("a")
		c := b.start("c")
		b.sleep(100 * time.Second)
		a.stop()
		if took := b.await(c, time.Second); took > 100*time.Millisecond {
			t.Errorf("taken over %v after the release", took)
		}
	})
}

func TestB097WithoutAWatchAReleaseIsTakenOverWithinAPoll(t *testing.T) {
	bubble(t, func(b *bundle) {
		b.leases.DisableWatch()
		a := b.startLeader("a")
		c := b.start("c", withoutWatch)
		b.sleep(100 * time.Second)
		a.stop()
		b.await(c, poll)
		c.kill()
		<-c.ended
		d := b.start("d")
		b.await(d, ttl+time.Second)
	})
}
