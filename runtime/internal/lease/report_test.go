package lease_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/fwgen/fwgen/runtime/internal/lease"
	"github.com/fwgen/fwgen/runtime/internal/memstore"
)

func TestAStateIsLoggedOnce(t *testing.T) {
	bubble(t, func(b *bundle) {
		var out bytes.Buffer
		logged := func(_ *instance, c *lease.Config) {
			c.Logger = slog.New(slog.NewTextHandler(&out, nil))
		}
		b.startLeader("a")
		c := b.start("c", logged)
		b.pass(10 * time.Minute)
		b.leases.SetFault(of("c", memstore.Fault{Fail: errDown}))
		b.pass(10 * time.Minute)
		c.kill()
		<-c.ended
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], `msg="standing by" stream=orders owner=a`) ||
			!strings.Contains(lines[1], "level=WARN") {
			b.Errorf("log:\n%s", out.String())
		}
	})
}
