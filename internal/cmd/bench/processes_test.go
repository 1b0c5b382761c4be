package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWatcher simulates /proc: one process ran before, two run the plugin, and another becomes the plugin after a fork.
func TestWatcher(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	shows := func(pid, program string, kB int) { // As many ticks as kilobytes, half of them in the system.
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
		stat := fmt.Sprintf("%s (a (b) c) S 1 2 3 4 5 6 7 8 9 10 %d %d 0 0 20 0\n", pid, kB/2, kB/2)
		if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(stat), 0o600); err != nil {
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
	w := &watcher{proc: proc, cli: "40", plugin: "/tmp/plugin", known: map[string]bool{}, cpu: map[string]time.Duration{}}
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
	if got, want := w.usage(), (usage{cliPeak: 200, pluginPeak: 50, pluginCPU: 70 * clockTick}); got != want {
		t.Errorf("usage is %+v, want %+v", got, want)
	}
}

// Without /proc, there are no figures.
func TestWatcherWithoutProc(t *testing.T) {
	t.Parallel()
	w := &watcher{proc: filepath.Join(t.TempDir(), "none"), cli: "1", plugin: "/tmp/plugin", known: map[string]bool{}, cpu: map[string]time.Duration{}}
	w.look()
	if got := w.usage(); got != (usage{}) {
		t.Errorf("usage is %+v, want none", got)
	}
}

// This process stands for both. It keeps growing between two measurements.
func TestWatchProcesses(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	used := watchProcesses(os.Getpid(), program)
	time.Sleep(3 * watchInterval)
	got := used()
	if _, err := os.Stat("/proc/self/status"); err == nil && (got.cliPeak == 0 || got.pluginPeak < got.cliPeak/2) {
		t.Errorf("usage is %+v, want both peaks", got)
	}
}
