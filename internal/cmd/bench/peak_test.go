package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestPeakWatcher plays /proc: one process ran before, two run the plugin, and another becomes the plugin after a fork.
func TestPeakWatcher(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	shows := func(pid, program string, kB int) {
		t.Helper()
		dir := filepath.Join(proc, pid)
		_ = os.RemoveAll(dir)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		status := fmt.Sprintf("Name:\tx\nVmPeak:\t  999999 kB\nVmHWM:\t  %d kB\nVmRSS:\t  5 kB\n", kB)
		if err := os.WriteFile(filepath.Join(dir, "status"), []byte(status), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, filepath.Join(dir, "exe")); err != nil {
			t.Fatal(err)
		}
	}
	shows("1", "/sbin/init", 7000)
	shows("40", "/bin/terraform", 100)
	if err := os.Mkdir(filepath.Join(proc, "self"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := &peakWatcher{proc: proc, cli: "40", plugin: "/tmp/plugin", known: map[string]bool{}}
	w.look()
	shows("41", "/tmp/plugin", 30)
	shows("42", "/bin/terraform", 900) // Forked, and about to run the plugin.
	w.look()
	shows("41", "/tmp/plugin", 50)
	shows("42", "/tmp/plugin", 20)
	shows("40", "/bin/terraform", 200)
	w.look()
	if err := os.RemoveAll(filepath.Join(proc, "41")); err != nil {
		t.Fatal(err)
	}
	w.look()
	if w.cliPeak != 200 || w.pluginPeak != 50 {
		t.Errorf("peaks of the CLI and the plugin are %d and %d kB, want 200 and 50", w.cliPeak, w.pluginPeak)
	}
}

// Where there is no /proc there are no peaks.
func TestPeakWatcherWithoutProc(t *testing.T) {
	t.Parallel()
	w := &peakWatcher{proc: filepath.Join(t.TempDir(), "none"), cli: "1", plugin: "/tmp/plugin", known: map[string]bool{}}
	w.look()
	if w.cliPeak != 0 || w.pluginPeak != 0 {
		t.Errorf("peaks are %d and %d", w.cliPeak, w.pluginPeak)
	}
}

// This process stands for both. It goes on growing between two looks.
func TestWatchPeaks(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	peaks := watchPeaks(os.Getpid(), program)
	time.Sleep(3 * peakInterval)
	cli, plugin := peaks()
	if _, err := os.Stat("/proc/self/status"); err == nil && (cli == 0 || plugin < cli/2) {
		t.Errorf("peaks are %d and %d kB, want both", cli, plugin)
	}
}
