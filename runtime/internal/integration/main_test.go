package integration

import (
	"testing"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

func TestMain(m *testing.M) {
	childapp.Main()
	mongotest.Main(m)
}
