//go:build race

package simulation_test

// ordinarily is how many seeds are played: few where the race detector makes each take long.
const ordinarily = 40
