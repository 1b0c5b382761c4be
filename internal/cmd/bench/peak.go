package main

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// peakInterval is how often the memory of processes is looked at. The system keeps the peak, so nothing between two looks
// is missed but what a process does in the last moments of its life.
const peakInterval = 20 * time.Millisecond

// watchPeaks watches the memory of the CLI and of all processes that run the plugin, one after the other or together. The
// function that it returns ends that and returns the peaks in kilobytes; several processes of the plugin don't add up.
func watchPeaks(cli int, plugin string) func() (cliPeak, pluginPeak int64) {
	stop, done := make(chan struct{}), make(chan struct{})
	w := &peakWatcher{proc: "/proc", cli: strconv.Itoa(cli), plugin: plugin, known: map[string]bool{}}
	go func() {
		defer close(done)
		ticker := time.NewTicker(peakInterval)
		defer ticker.Stop()
		for {
			w.look()
			select {
			case <-stop:
				return
			case <-ticker.C:
			}
		}
	}()
	return func() (int64, int64) {
		close(stop)
		<-done
		return w.cliPeak, w.pluginPeak
	}
}

// peakWatcher reads peaks from /proc.
type peakWatcher struct {
	proc, cli, plugin string
	// known says of a process whether it runs the plugin. Those that run when the CLI starts don't.
	known               map[string]bool
	looked              bool
	cliPeak, pluginPeak int64
}

// look brings the peaks up to date.
func (w *peakWatcher) look() {
	w.cliPeak = max(w.cliPeak, w.peak(w.cli))
	if w.plugin == "" {
		return
	}
	entries, err := os.ReadDir(w.proc)
	if err != nil {
		return
	}
	for _, entry := range entries {
		pid := entry.Name()
		if pid[0] < '0' || pid[0] > '9' {
			continue
		}
		runs, seen := w.known[pid]
		if !seen {
			// A process that was just forked still shows the program of its parent, so only a match is final.
			program, err := os.Readlink(filepath.Join(w.proc, pid, "exe"))
			runs = err == nil && program == w.plugin
			if runs || !w.looked {
				w.known[pid] = runs
			}
		}
		if runs {
			w.pluginPeak = max(w.pluginPeak, w.peak(pid))
		}
	}
	w.looked = true
}

// peak returns the largest resident set that a process has had so far, or zero if it is gone.
func (w *peakWatcher) peak(pid string) int64 {
	return kilobytes(readFile(filepath.Join(w.proc, pid, "status")), "VmHWM")
}
