package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// describeMachine describes the environment of the measurements: they compare only with those of the same machine.
func describeMachine(ctx context.Context, cli string) string {
	return fmt.Sprintf("%s, %d cores, %s memory, load average %s · %s/%s · %s · %s · commit %s · %s\n",
		cmp.Or(field(readFile("/proc/cpuinfo"), "model name"), "unknown CPU"), runtime.NumCPU(),
		memory(readFile("/proc/meminfo")), load(readFile("/proc/loadavg")), runtime.GOOS, runtime.GOARCH, runtime.Version(),
		firstLine(output(ctx, cli, "version")), commit(ctx), time.Now().UTC().Format("2006-01-02 15:04 MST"))
}

// readFile returns the text of a file, or nothing if it doesn't exist: only Linux has these.
func readFile(name string) string {
	text, err := os.ReadFile(name) //nolint:gosec // Constants, and process IDs.
	if err != nil {
		return ""
	}
	return string(text)
}

// output returns what a program prints, or nothing if it fails.
func output(ctx context.Context, program string, args ...string) string {
	printed, err := exec.CommandContext(ctx, program, args...).Output() //nolint:gosec // The benchmark's own commands.
	if err != nil {
		return ""
	}
	return string(printed)
}

// commit returns the output of git describe for the checked out commit. Uncommitted changes are shown as "+changes".
func commit(ctx context.Context) string {
	id := cmp.Or(strings.TrimSpace(output(ctx, "git", "rev-parse", "--short", "HEAD")), "unknown")
	if output(ctx, "git", "status", "--porcelain") != "" {
		id += "+changes"
	}
	return id
}

// field returns the first value of a name in lines such as "name : value".
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// memory returns the machine's memory in whole gibibytes.
func memory(meminfo string) string {
	total := kilobytes(meminfo, "MemTotal")
	if total == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.0f GiB", float64(total)/(1<<20))
}

// load returns the average number of busy processes in the last minute: on a quiet machine, less than one.
func load(loadavg string) string {
	last, _, _ := strings.Cut(loadavg, " ")
	return cmp.Or(last, "unknown")
}

// kilobytes parses a value such as "1024 kB"; zero if there is none.
func kilobytes(text, name string) int64 {
	value, ok := strings.CutSuffix(field(text, name), " kB")
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return cmp.Or(strings.TrimSpace(line), "unknown CLI")
}
