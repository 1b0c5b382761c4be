package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watchInterval is how often processes are looked at. The system adds up what they use, so nothing is missed but the last
// moments of a process.
const watchInterval = 20 * time.Millisecond

// clockTick is the unit in which Linux tells CPU times.
const clockTick = 10 * time.Millisecond

// usage is what the CLI and the processes of the plugin use. Several of these don't add up their memory, but their time.
type usage struct {
	// The largest resident sets, in kilobytes; zero where the system doesn't tell.
	cliPeak, pluginPeak int64
	pluginCPU           time.Duration
}

// watchProcesses watches the CLI and all processes that run the plugin, which run one after the other or together. The
// function that it returns ends that.
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
	// known says of a process whether it runs the plugin. Those that run when the CLI starts don't.
	known               map[string]bool
	looked              bool
	cliPeak, pluginPeak int64
	// cpu is the time of each process of the plugin.
	cpu map[string]time.Duration
}

// look brings the figures up to date.
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

// peak returns the largest resident set that a process has had so far, or zero if it is gone.
func (w *watcher) peak(pid string) int64 {
	return kilobytes(readFile(filepath.Join(w.proc, pid, "status")), "VmHWM")
}

// usage returns what was seen.
func (w *watcher) usage() usage {
	u := usage{cliPeak: w.cliPeak, pluginPeak: w.pluginPeak}
	for _, cpu := range w.cpu {
		u.pluginCPU += cpu
	}
	return u
}

// cpuTime reads user and system time from /proc/PID/stat. The name before these, in parentheses, may hold anything.
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
