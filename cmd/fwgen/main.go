// Command fwgen generates the dispatch of MongoDB change-stream handlers. See package
// internal/cli for its commands and exit codes.
package main

import (
	"fmt"
	"os"

	"github.com/fwgen/fwgen/internal/cli"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "fwgen: %v\n", err)
		os.Exit(2)
	}
	os.Exit(cli.Main(os.Args[1:], cli.Process{Dir: dir, Stdout: os.Stdout, Stderr: os.Stderr}))
}
