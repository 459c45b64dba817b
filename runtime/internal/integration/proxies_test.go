package integration

import (
	"fmt"
	"strings"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// proxies stand between a process and every server of a deployment. All of them are disturbed
// together: it is the process that is cut off.
type proxies struct {
	testing.TB
	server    *toxiproxy.ApiServer
	byServer  map[string]*toxiproxy.Proxy
	addresses map[string]string // of the proxies, by that of the server
}

func newProxies(t testing.TB, d *mongotest.Deployment) *proxies {
	t.Helper()
	var hello struct {
		Hosts []string `bson:"hosts"`
	}
	must(t, d.Client(t).Database("admin").RunCommand(t.Context(),
		bson.D{{Key: "hello", Value: 1}}).Decode(&hello))
	p := &proxies{
		TB:       t,
		server:   toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		byServer: map[string]*toxiproxy.Proxy{}, addresses: map[string]string{},
	}
	for _, host := range hello.Hosts {
		p.start(host, "127.0.0.1:0")
		p.addresses[host] = p.byServer[host].Listen
	}
	t.Cleanup(p.drop)
	return p
}

func (p *proxies) start(server, listen string) {
	p.Helper()
	proxy := toxiproxy.NewProxy(p.server, server, listen, server)
	must(p, proxy.Start())
	p.byServer[server] = proxy
}

// drop closes all connections and refuses new ones.
func (p *proxies) drop() {
	for _, proxy := range p.byServer {
		proxy.Stop()
	}
}

// heal replaces the proxies by new ones with the same addresses.
func (p *proxies) heal() {
	p.Helper()
	p.drop()
	for server, address := range p.addresses {
		p.start(server, address)
	}
}

// poison adds a toxic to the streams, which are "upstream" and "downstream".
func (p *proxies) poison(toxic, attributes string, streams ...string) {
	p.Helper()
	for _, proxy := range p.byServer {
		for _, stream := range streams {
			_, err := proxy.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(
				`{"type": %q, "stream": %q, "attributes": {%s}}`, toxic, stream, attributes)))
			must(p, err)
		}
	}
}
