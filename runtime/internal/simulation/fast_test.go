//go:build !race

package simulation_test

// ordinarily is how many seeds are played.
const ordinarily = 200
