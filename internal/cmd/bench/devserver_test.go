package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/postgrestest"
)

// engines are the databases, and the number of processes that serve each.
var engines = []struct {
	name      string
	processes int
}{{"sqlite", 1}, {"postgres", 1}, {"postgres2", 2}}

// BenchmarkDevServer fills each database with as many runs as AGENTPLANE_BENCH_RUNS says, of which one trace has up to 10,000, and then queries it
// and writes to it. Time is that of client and server, which share the machine.
func BenchmarkDevServer(b *testing.B) {
	runs, err := strconv.Atoi(cmp.Or(os.Getenv("AGENTPLANE_BENCH_RUNS"), "30000"))
	if err != nil {
		b.Fatal(err)
	}
	program := build(b, b.TempDir(), "./internal/cmd/devserver", "devserver")
	// What decides what a crash may lose, and much of the time of a write. A test of the store asserts that of SQLite.
	fmt.Println("sqlite: synchronous = full, journal_mode = wal")
	postgres, err := postgrestest.Start(b.Context())
	if err != nil {
		fmt.Printf("postgres: none, %v\n", err)
	} else {
		b.Cleanup(func() {
			if err := postgres.Stop(); err != nil {
				b.Error(err)
			}
		})
		settings, err := postgres.Settings(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		fmt.Printf("postgres: %s\n", settings)
	}
	for _, e := range engines {
		if e.name != "sqlite" && postgres == nil {
			continue
		}
		b.Run("engine="+e.name, func(b *testing.B) {
			dir := b.TempDir()
			data := filepath.Join(dir, "plane.db")
			if e.name != "sqlite" {
				if err := postgres.Execute(b.Context(), "postgres", "CREATE DATABASE bench_"+e.name); err != nil {
					b.Fatal(err)
				}
				data = postgres.Address("bench_" + e.name)
			}
			f := &fleet{}
			for range e.processes {
				f.start(b, program, "-data", data, "-seal-key", filepath.Join(dir, "key"))
			}
			f.benchmark(b, runs)
		})
	}
}

// benchmark fills the database and runs the benchmarks: those that write come last.
func (f *fleet) benchmark(b *testing.B, runs int) {
	b.Helper()
	trace := min(10_000, max(1, runs/4))
	err := f.call(b.Context(), http.MethodPost, "/v2/deployments", object{
		"name": "bench", "source": "external_container", "source_config": object{}, "source_revision_config": image(0), "secrets": []object{},
	}, nil)
	if err == nil {
		err = logTrace(b.Context(), &f.addresses, trace)
	}
	if err == nil {
		err = logMonth(b.Context(), &f.addresses, runs-trace)
	}
	if err != nil {
		b.Fatal(err)
	}
	f.settle(b)
	s := f.find(b)
	for _, q := range s.questions(runs) {
		b.Run("ask="+q.name, func(b *testing.B) {
			for b.Loop() {
				if err := f.call(b.Context(), q.method, q.path, q.body, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("write=deployment", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if err := f.call(b.Context(), http.MethodPatch, "/v2/deployments/"+s.deployment, object{"source_revision_config": image(n)}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	together := func(name string, runsEach, clients int, write func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(clients) // For each core.
			b.RunParallel(func(next *testing.PB) {
				for next.Next() {
					if err := write(); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(runsEach*b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
	together("write=run", 1, 8, func() error {
		return f.call(b.Context(), http.MethodPost, "/runs", aRun(uuid.NewString(), time.Now(), "bench", "Say hello."), nil)
	})
	together("write=batch", batch, 1, func() error {
		return logRuns(b.Context(), &f.addresses, "bench", time.Now(), time.Millisecond, 0, batch)
	})
}

// question is a query whose time is measured.
type question struct {
	name, method, path string
	body               any
}

// stored is what queries are about.
type stored struct{ project, deployment, trace, run string }

func (s stored) questions(runs int) []question {
	// search is a query for the runs of the last 30 days that contain a text, or whose trace or root does.
	search := func(where, text string) object {
		return object{
			"limit": 100, "session": []string{s.project}, where: fmt.Sprintf("search(%q)", text),
			"start_time": time.Now().UTC().AddDate(0, 0, -30).Format(time.RFC3339),
		}
	}
	one := fmt.Sprintf("customer %d.", runs/2)
	return []question{
		{"page-of-project", http.MethodGet, "/ui/projects/" + s.project + "?range=30d", nil},
		{"page-of-trace", http.MethodGet, "/ui/traces/" + s.trace, nil},
		{"page-of-run", http.MethodGet, "/ui/runs/" + s.run, nil},
		{"statistics", http.MethodPost, "/runs/stats", object{"session": []string{s.project}}},
		{"runs", http.MethodPost, "/runs/query", object{"limit": 100, "session": []string{s.project}}},
		{"runs-of-trace", http.MethodPost, "/runs/query", object{"limit": 100, "trace": s.trace}},
		{"text-of-one", http.MethodPost, "/runs/query", search("filter", one)},
		{"text-of-all", http.MethodPost, "/runs/query", search("filter", "hello")},
		{"text-of-none", http.MethodPost, "/runs/query", search("filter", "farewell")},
		{"text-in-trace", http.MethodPost, "/runs/query", search("tree_filter", one)},
		{"text-in-root", http.MethodPost, "/runs/query", search("trace_filter", one)},
		{"deployment", http.MethodGet, "/v2/deployments/" + s.deployment, nil},
	}
}

// find finds the objects that questions name.
func (f *fleet) find(b *testing.B) (s stored) {
	b.Helper()
	first := func(method, path string, body object, field string) string {
		var found any
		if err := f.call(b.Context(), method, path, body, &found); err != nil {
			b.Fatal(err)
		}
		if page, is := found.(object); is {
			found = cmp.Or(page["runs"], page["resources"])
		}
		all, _ := found.([]any)
		if len(all) == 0 {
			b.Fatalf("%s %s finds nothing", method, path)
		}
		return all[0].(object)[field].(string)
	}
	return stored{
		project:    first(http.MethodGet, "/sessions?name=bench", nil, "id"),
		deployment: first(http.MethodGet, "/v2/deployments?name=bench", nil, "id"),
		run:        first(http.MethodPost, "/runs/query", object{"limit": 1, "filter": `eq(name, "model")`}, "id"),
		trace:      first(http.MethodPost, "/runs/query", object{"limit": 1, "filter": `eq(name, "agent")`}, "trace_id"),
	}
}

// fleet is a dev server in processes of its own.
type fleet struct {
	addresses
	pids []int
}

// start starts a dev server on a free port and waits until it is ready.
func (f *fleet) start(b *testing.B, program string, args ...string) {
	b.Helper()
	var log bytes.Buffer
	command := exec.CommandContext(context.WithoutCancel(b.Context()), program, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	command.Env, command.Stderr = environ(os.Environ()), &log
	printed, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		if err := command.Wait(); err != nil {
			b.Errorf("%v: %s", err, log.String())
		}
	})
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if address, is := strings.CutPrefix(lines.Text(), "listening on "); is {
			f.urls, f.pids = append(f.urls, address), append(f.pids, command.Process.Pid)
		}
		if lines.Text() == "ready" {
			return
		}
	}
	b.Fatal("the dev server ended before it was ready")
}

// settle waits for the work in the background: until the processes use less than a tenth of a core for ten
// seconds, as roll-ups rest for some seconds after each slice on a busy machine.
func (f *fleet) settle(b *testing.B) {
	b.Helper()
	used := func() (ticks int) {
		for _, pid := range f.pids {
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // Only Linux has it.
			if fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])); len(fields) > 12 {
				for _, field := range fields[11:13] { // In user mode and in the kernel, each in hundredths of a second.
					n, _ := strconv.Atoi(field)
					ticks += n
				}
			}
		}
		return ticks
	}
	for before, quiet := used(), 0; quiet < 10; quiet++ {
		time.Sleep(time.Second)
		now := used()
		if now-before > 10 {
			quiet = -1
		}
		before = now
	}
}
