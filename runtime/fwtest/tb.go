package fwtest

// TB is what functions of this package need of a test. A *testing.T, *testing.B and *testing.F
// are one.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // does not return
	Cleanup(func())                    // calls it when the test ends, last first
}
