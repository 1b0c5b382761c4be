package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// terraform is the CLI in a directory.
type terraform struct {
	path, dir string
	env       []string
	// plugin is the provider's program; empty if there is none.
	plugin string
}

// effort is the time and memory of a command.
type effort struct {
	wall time.Duration
	// cpu is that of the CLI and the provider.
	cpu time.Duration
	usage
}

// run runs a command and measures it.
func (t *terraform) run(ctx context.Context, args ...string) (effort, error) {
	command := exec.CommandContext(ctx, t.path, args...) //nolint:gosec // The benchmark's own commands.
	command.Dir, command.Env = t.dir, t.env
	var printed bytes.Buffer
	command.Stdout, command.Stderr = &printed, &printed
	began := time.Now()
	if err := command.Start(); err != nil {
		return effort{}, err
	}
	used := watchProcesses(command.Process.Pid, t.plugin)
	err := command.Wait()
	e := effort{wall: time.Since(began), cpu: command.ProcessState.UserTime() + command.ProcessState.SystemTime()}
	e.usage = used()
	if err != nil {
		return e, fmt.Errorf("terraform %s: %w: %s", strings.Join(args, " "), err, tail(printed.String(), 3000))
	}
	return e, nil
}

// tail returns the end of a text.
func tail(text string, length int) string {
	if len(text) > length {
		return "…" + text[len(text)-length:]
	}
	return text
}
