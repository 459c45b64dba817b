//go:build unix

// Command genbench measures the generator: how long fwgen takes over a large repository with few
// handlers, and over a small one that is all handlers, beside what any tool on go/packages would
// take that loads the same packages with their types.
//
// Both modules are made in a temporary directory, with the runtime of this checkout. Everything runs
// once to fill the build cache, then in turns, so that a busy machine slows all of them; the median
// counts. The peak of memory is that of the largest process: the go command is counted by itself.
// A row that misses its bar ends in "over", and then the exit code is 1.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"
)

// scenario is a module to run over.
type scenario struct {
	name                string
	packages, annotated int
	bar                 time.Duration // for fwgen, warm
}

var scenarios = []scenario{
	{"300 packages, 3 with handlers", 300, 3, 5 * time.Second},
	{"21 packages, all with handlers", 21, 21, time.Second},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("genbench: ")
	runs := flag.Int("runs", 7, "measured runs of each command")
	bare := flag.Bool("bare-load", false, "load ./... with types and nothing else (used by genbench itself)")
	flag.Parse()
	if *bare {
		if err := bareLoad(); err != nil {
			log.Fatal(err)
		}
		return
	}
	dir, err := os.MkdirTemp("", "genbench-")
	if err != nil {
		log.Fatal(err)
	}
	over, err := measureAll(dir, *runs, os.Stdout)
	if err := os.RemoveAll(dir); err != nil {
		log.Print(err)
	}
	if err != nil {
		log.Fatal(err)
	}
	if over {
		os.Exit(1)
	}
}

func measureAll(dir string, runs int, w io.Writer) (over bool, err error) {
	fwgen := filepath.Join(dir, "fwgen")
	if err := build(fwgen); err != nil {
		return false, err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "module\tcommand\twall\tmin–max\tCPU\tpeak RSS\tto a bare load\tbar")
	for _, s := range scenarios {
		module := filepath.Join(dir, fmt.Sprintf("p%d", s.packages))
		if err := s.write(module); err != nil {
			return false, err
		}
		missed, err := s.measure(module, fwgen, runs, table)
		if err != nil {
			return false, err
		}
		over = over || missed
	}
	return over, table.Flush()
}
