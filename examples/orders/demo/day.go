package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// day has the example play its day in a process of its own, without any server.
func day(ctx context.Context, out io.Writer, app string) error {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, app)
	cmd.Env = append(os.Environ(), "MONGODB_URI=")
	cmd.Stdout, cmd.Stderr = io.MultiWriter(out, &said), os.Stderr
	cmd.SysProcAttr = launch()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second // then it is killed
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the day in one process: %w", err)
	}
	if !bytes.Contains(said.Bytes(), []byte("\nAll as promised")) {
		return errors.New("the day in one process ended without a judgement")
	}
	return nil
}
