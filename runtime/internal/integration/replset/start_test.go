package replset

import (
	"strings"
	"testing"
)

func TestOptionsThatCannotBeAreRefused(t *testing.T) {
	good := Options{Binary: "mongod", Dir: "/d"}
	for name, spoil := range map[string]func(*Options){
		"no binary":           func(o *Options) { o.Binary = "" },
		"no directory":        func(o *Options) { o.Dir = "" },
		"two nodes":           func(o *Options) { o.Nodes = 2 },
		"negative oplog":      func(o *Options) { o.OplogMB = -1 },
		"standalone of three": func(o *Options) { o.Nodes, o.Standalone = 3, true },
	} {
		opts := good
		spoil(&opts)
		if _, err := Start(t.Context(), opts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := good.validate(); err != nil || good.Nodes != 1 {
		t.Errorf("%v, %d nodes", err, good.Nodes)
	}
}

func TestServerThatDoesNotStartSaysWhy(t *testing.T) {
	binary, err := FindBinary()
	if err != nil {
		t.Skip("needs a mongod: " + err.Error())
	}
	_, err = Start(t.Context(), Options{
		Binary: binary, Dir: t.TempDir(), Args: []string{"--setParameter", "noSuchParameter=1"},
	})
	if err == nil || !strings.Contains(err.Error(), "noSuchParameter") {
		t.Errorf("got %v, want the reason", err)
	}
}
