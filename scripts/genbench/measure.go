//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// sample is one run of a command.
type sample struct {
	wall, cpu time.Duration
	rss       int64 // in bytes
}

// measure runs the commands in turns and prints a row for each.
func (s scenario) measure(dir, fwgen string, runs int, w io.Writer) (over bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	commands := []struct {
		name string
		args []string
		bar  time.Duration
	}{
		{"bare load", []string{self, "-bare-load"}, 0},
		{"fwgen", []string{fwgen, "./..."}, s.bar},
		{"fwgen check", []string{fwgen, "check", "./..."}, s.bar},
	}
	samples := make([][]sample, len(commands))
	for i := -1; i < runs; i++ { // the first is to warm up
		for c := len(commands) - 1; c >= 0; c-- {
			if i < 0 && c == 2 {
				continue // there is nothing to check yet
			}
			one, err := run(dir, commands[c].args)
			if err != nil {
				return false, fmt.Errorf("%s, %s: %w", s.name, commands[c].name, err)
			}
			if i >= 0 {
				samples[c] = append(samples[c], one)
			}
		}
	}
	base := median(samples[0])
	for c, command := range commands {
		m := median(samples[c])
		walls := slices.SortedFunc(slices.Values(samples[c]), byWall)
		verdict := ""
		if command.bar > 0 {
			verdict = "≤ " + command.bar.String()
			if m.wall > command.bar {
				verdict, over = verdict+", over", true
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s–%s\t%s\t%d MB\t%.2f\t%s\n", s.name, command.name,
			seconds(m.wall), seconds(walls[0].wall), seconds(walls[len(walls)-1].wall),
			seconds(m.cpu), m.rss>>20, m.wall.Seconds()/base.wall.Seconds(), verdict)
	}
	return over, nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

func run(dir string, args []string) (sample, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("%w\n%s", err, out)
	}
	s := sample{wall: time.Since(start)}
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.rss = int64(usage.Maxrss) * maxrssUnit
	}
	return s, nil
}

func byWall(a, b sample) int { return int(a.wall - b.wall) }

// median is the run in the middle by its time, with the largest peak of all.
func median(samples []sample) sample {
	sorted := slices.SortedFunc(slices.Values(samples), byWall)
	m := sorted[len(sorted)/2]
	for _, s := range samples {
		m.rss = max(m.rss, s.rss)
	}
	return m
}
