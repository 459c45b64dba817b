package templates_test

import (
	"strings"
	"testing"

	"github.com/fwgen/fwgen/gen/templates"
)

func TestScaffold(t *testing.T) {
	t.Parallel()
	s := templates.Scaffold{
		Package: "orders", Document: "Order", Handler: "OrderHandler", Collection: "shop.orders",
	}
	text, err := s.Source()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"package orders\n", "\n//fw:changestream collection=shop.orders ",
		"\ntype OrderHandler struct{}\n", "*fw.Event[Order]) error {\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "go:generate") {
		t.Errorf("an unwanted go:generate in\n%s", text)
	}
	s.Generate = true
	if text, err = s.Source(); err != nil || !strings.Contains(string(text), "\n//go:generate go tool fwgen\n") {
		t.Errorf("no go:generate, %v, in\n%s", err, text)
	}
	s.Handler = "not Go"
	if _, err := s.Source(); err == nil {
		t.Error("what is no Go was written")
	}
}
