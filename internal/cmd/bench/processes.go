package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watchInterval is the interval at which processes are checked. The system keeps totals, so only the last moments of a
// process are missed.
const watchInterval = 20 * time.Millisecond

// clockTick is the unit of CPU times in Linux.
const clockTick = 10 * time.Millisecond

// usage is the resource usage of the CLI and the plugin's processes. CPU times of several processes are added up, memory
// isn't.
type usage struct {
	// The largest resident sets, in kilobytes; zero if the system doesn't report them.
	cliPeak, pluginPeak int64
	pluginCPU           time.Duration
}

// watchProcesses watches the CLI and all processes that run the plugin, one after the other or concurrently. Call the
// returned function to stop.
func watchProcesses(cli int, plugin string) func() usage {
	stop, done := make(chan struct{}), make(chan struct{})
	w := &watcher{proc: "/proc", cli: strconv.Itoa(cli), plugin: plugin, known: map[string]bool{}, cpu: map[string]time.Duration{}}
	go func() {
		defer close(done)
		ticker := time.NewTicker(watchInterval)
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
	return func() usage {
		close(stop)
		<-done
		return w.usage()
	}
}

// watcher reads what processes use from /proc.
type watcher struct {
	proc, cli, plugin string
	// known says for each process whether it runs the plugin. Processes that exist when the CLI starts don't.
	known               map[string]bool
	looked              bool
	cliPeak, pluginPeak int64
	// cpu is the CPU time of each process of the plugin.
	cpu map[string]time.Duration
}

// look updates the figures.
func (w *watcher) look() {
	w.cliPeak = max(w.cliPeak, w.peak(w.cli))
	if w.plugin == "" {
		return
	}
	entries, err := os.ReadDir(w.proc)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if pid := entry.Name(); pid[0] >= '0' && pid[0] <= '9' && w.runsPlugin(pid) {
			w.pluginPeak = max(w.pluginPeak, w.peak(pid))
			w.cpu[pid] = max(w.cpu[pid], cpuTime(readFile(filepath.Join(w.proc, pid, "stat"))))
		}
	}
	w.looked = true
}

// runsPlugin reports whether a process runs the plugin.
func (w *watcher) runsPlugin(pid string) bool {
	runs, known := w.known[pid]
	if !known {
		program, err := os.Readlink(filepath.Join(w.proc, pid, "exe"))
		runs = err == nil && program == w.plugin
		// A process that was just forked still shows the program of its parent, so only a match is final.
		if runs || !w.looked {
			w.known[pid] = runs
		}
	}
	return runs
}

// peak returns the largest resident set of a process so far, or zero if it has ended.
func (w *watcher) peak(pid string) int64 {
	return kilobytes(readFile(filepath.Join(w.proc, pid, "status")), "VmHWM")
}

// usage returns the collected figures.
func (w *watcher) usage() usage {
	u := usage{cliPeak: w.cliPeak, pluginPeak: w.pluginPeak}
	for _, cpu := range w.cpu {
		u.pluginCPU += cpu
	}
	return u
}

// cpuTime reads user and system time from /proc/PID/stat. The name before these, in parentheses, may contain anything.
func cpuTime(stat string) time.Duration {
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	const user, system = 11, 12
	if len(fields) <= system {
		return 0
	}
	var ticks int64
	for _, field := range fields[user : system+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick
}
