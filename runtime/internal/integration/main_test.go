package integration

import (
	"flag"
	"strconv"
	"testing"

	"github.com/fwgen/fwgen/runtime/internal/integration/childapp"
	"github.com/fwgen/fwgen/runtime/internal/integration/mongotest"
)

// atOnce is how many tests run at the same time, unless -parallel says otherwise. Most of them wait
// for a server or a lease, so there may be more than there are processors.
const atOnce = 6

func TestMain(m *testing.M) {
	childapp.Main()
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(atOnce)) // it exists and takes a number
	}
	mongotest.Main(m)
}
