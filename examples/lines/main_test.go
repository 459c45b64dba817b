package main

import "testing"

// Both programs run with nothing installed. Not parallel: it changes the environment.
func TestBothProgramsDoTheSameOnTheServerInTheProcess(t *testing.T) {
	t.Setenv("MONGODB_URI", "")
	if err := compare(t.Context()); err != nil {
		t.Error(err)
	}
}
