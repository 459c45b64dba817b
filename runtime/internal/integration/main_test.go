package integration

import (
	"testing"

	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

func TestMain(m *testing.M) { mongotest.Main(m) }
