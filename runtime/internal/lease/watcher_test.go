package lease

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/memstore"
	"github.com/fwgen/fwgen/runtime/store"
)

// watched is a store whose watch is a function of the test.
type watched struct {
	store.Leases
	watch func(ctx context.Context, ready func(), changed func(store.Lease)) error
}

func (w watched) Watch(ctx context.Context, ready func(), changed func(store.Lease)) error {
	return w.watch(ctx, ready, changed)
}

func TestNewsReachEverySubscriptionOfTheirStream(t *testing.T) {
	t.Parallel()
	w := NewWatcher(nil, nil)
	a, b, other := w.subscribe("orders"), w.subscribe("orders"), w.subscribe("invoices")
	w.changed(store.Lease{Stream: "orders", Term: 1})
	w.changed(store.Lease{Stream: "orders", Term: 2})
	for _, s := range []*subscription{a, b} {
		if len(s.wake) != 1 {
			t.Error("not woken")
		}
		if news, reread := s.take(); news == nil || news.Term != 2 || reread {
			t.Errorf("took %+v, %v, want the latest", news, reread)
		}
		if news, reread := s.take(); news != nil || reread {
			t.Errorf("took %+v, %v a second time", news, reread)
		}
	}
	if news, _ := other.take(); news != nil || len(other.wake) != 0 {
		t.Errorf("another stream's news: %+v", news)
	}
	w.ready()
	for _, s := range []*subscription{a, b, other} {
		if news, reread := s.take(); news != nil || !reread {
			t.Errorf("took %+v, %v, want a read", news, reread)
		}
	}
}

func TestAnElectorSubscribesWhileItRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leases := memstore.NewLeases()
		w := NewWatcher(leases, nil)
		stop, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			NewElector(Config{
				Leases: leases, Stream: "orders", Owner: "a", Watcher: w,
				TTL: time.Minute, Heartbeat: 15 * time.Second, Poll: 20 * time.Second,
			}).Run(stop, t.Context(), func(context.Context, *Leadership) store.ReleaseReason {
				<-stop.Done()
				return store.Stopped
			})
		}()
		synctest.Wait()
		if len(w.subs["orders"]) != 1 {
			t.Errorf("subscriptions = %v", w.subs)
		}
		end()
		<-ended
		if len(w.subs) != 0 {
			t.Errorf("subscriptions = %v after Run", w.subs)
		}
	})
}

func TestABrokenWatchIsOpenedAgainWithBackoff(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		lives       time.Duration
		least, most int // in ten minutes
	}{
		{name: "never opens", least: 40, most: 60},
		{name: "breaks soon", lives: time.Second, least: 36, most: 55},
		{name: "breaks late", lives: time.Minute, least: 10, most: 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				n := 0
				NewWatcher(watched{watch: func(
					ctx context.Context, _ func(), _ func(store.Lease),
				) error {
					n++
					if err := pause(ctx, ctx, test.lives); err != nil {
						return err
					}
					return errors.New("broken")
				}}, nil).Run(ctx)
				if n < test.least || n > test.most {
					t.Errorf("opened %d times in ten minutes", n)
				}
				if ctx.Err() == nil {
					t.Error("Run returned by itself")
				}
			})
		})
	}
}

func TestAStoreWithoutAWatchIsAskedOnce(t *testing.T) {
	t.Parallel()
	n := 0
	NewWatcher(watched{watch: func(context.Context, func(), func(store.Lease)) error {
		n++
		return store.ErrWatchUnsupported
	}}, nil).Run(t.Context())
	if n != 1 {
		t.Errorf("asked %d times", n)
	}
}
