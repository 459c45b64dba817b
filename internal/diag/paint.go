package diag

import (
	"io"
	"os"
)

// style is an ANSI sequence.
type style string

const (
	bold  style = "\x1b[1m"
	faint style = "\x1b[2m"
	red   style = "\x1b[1;31m"
	green style = "\x1b[32m"
	blue  style = "\x1b[34m"
	reset       = "\x1b[0m"
)

func (r Renderer) paint(s style, text string) string {
	if !r.Color || text == "" {
		return text
	}
	return string(s) + text + reset
}

// Colored tells whether what is written to w should have colours: on a terminal, unless the
// environment says otherwise (no-color.org).
func Colored(w io.Writer, getenv func(string) string) bool {
	file, ok := w.(*os.File)
	if !ok || getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
