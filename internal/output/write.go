package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write makes a change. A file is replaced as a whole or not at all: it is written beside its
// place and moved there.
func Write(c Change) error {
	if c.Action == Remove {
		if err := os.Remove(c.Path); err != nil {
			return fmt.Errorf("remove generated file: %w", err)
		}
		return nil
	}
	if err := replace(c.File); err != nil {
		return fmt.Errorf("write generated file: %w", err)
	}
	return nil
}

// permissions are those of a new file; one that exists keeps its own.
const permissions = 0o644

func replace(f File) (err error) {
	mode := os.FileMode(permissions)
	if info, err := os.Stat(f.Path); err == nil {
		mode = info.Mode().Perm()
	}
	// The name begins with a dot, so that the go command never takes it for a part of the package.
	temp, err := os.CreateTemp(filepath.Dir(f.Path), ".fw_gen-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	_, err = temp.Write(f.Text)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), f.Path)
}
