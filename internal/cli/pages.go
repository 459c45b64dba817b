package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fwgen/fwgen/internal/manual"
)

//go:generate go run ../../cmd/fwgen pages ../../docs

// pages writes the pages of the documentation that follow from the option table and the catalog.
func pages(inv *invocation) (int, error) {
	if len(inv.args) != 1 {
		return exitFailure, errors.New("pages takes one directory")
	}
	for name, text := range map[string]string{
		"directives.md": manual.Directives(), "diagnostics.md": manual.Diagnostics(),
	} {
		name = filepath.Join(inv.Dir, inv.args[0], name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return exitFailure, fmt.Errorf("write page: %w", err)
		}
	}
	return exitFine, nil
}
