package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// account tells what happens, with the time since the beginning.
type account struct {
	out   io.Writer
	begun time.Time

	mu sync.Mutex // guards out
}

func newAccount(out io.Writer) *account {
	return &account{out: out, begun: time.Now()}
}

// say tells what happens now.
func (a *account) say(format string, args ...any) {
	a.at(time.Now(), format, args...)
}

// at tells what happened at some time.
func (a *account) at(when time.Time, format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = fmt.Fprintf(a.out, "%6.1f s  %s\n", when.Sub(a.begun).Seconds(),
		fmt.Sprintf(format, args...))
}

// headline begins a part of the story.
func (a *account) headline(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = fmt.Fprintf(a.out, "\n%s\n", text)
}

// sum prints who led, and the table of counts. It returns an error if one of them is wrong.
func (a *account) sum(s *story, counts []count) error {
	a.headline("Who led")
	for _, l := range s.leaders {
		_, _ = fmt.Fprintf(a.out, "  term %d  %-6s %s\n", l.term, l.name, l.end)
	}
	a.headline("What came of it")
	_, _ = fmt.Fprintf(a.out, "  %-52s %10s %10s\n", "", "expected", "counted")
	var wrong []string
	for _, c := range counts {
		mark := ""
		if !c.ok {
			mark = "  WRONG"
			wrong = append(wrong, c.what)
		}
		_, _ = fmt.Fprintf(a.out, "  %-52s %10s %10s%s\n", c.what, c.want, c.got, mark)
		if !c.ok && len(c.which) > 0 {
			_, _ = fmt.Fprintf(a.out, "    %s\n", strings.Join(c.which, "; "))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("wrong: %s", strings.Join(wrong, "; "))
	}
	a.headline(fmt.Sprintf("All as promised, in %.1f s.", time.Since(a.begun).Seconds()))
	return nil
}

// short writes a duration as people do.
func short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
