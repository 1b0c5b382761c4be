package deployment_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// The kill matrix: what is left of a create, an update and a delete if a process dies in the middle of them. The
// next apply has to lead back to one deployment that is in the state, at most by way of the import block that it prints.

// moment is a request of an operation.
type moment struct {
	operation, name, pattern string
	skip                     int
	// done says that the service has done the work when it happens.
	done bool
	// fast says that the rollout is over by then.
	fast bool
}

var moments = []moment{
	{operation: "create", name: "POST not arrived", pattern: creation},
	{operation: "create", name: "POST done", pattern: creation, done: true},
	{operation: "create", name: "first poll", pattern: polling},
	{operation: "create", name: "later poll", pattern: polling, skip: 2},
	{operation: "create", name: "final read", pattern: reading, fast: true},
	{operation: "update", name: "PATCH not arrived", pattern: changing},
	{operation: "update", name: "PATCH done", pattern: changing, done: true},
	{operation: "update", name: "first poll", pattern: polling},
	{operation: "update", name: "final read", pattern: reading, skip: 2, fast: true},
	{operation: "delete", name: "DELETE not arrived", pattern: deletion},
	{operation: "delete", name: "DELETE done", pattern: deletion, done: true},
	{operation: "delete", name: "waiting", pattern: reading, skip: 1},
}

// event is what happens at a moment.
type event struct {
	name string
	// strike does it.
	strike func(*victim)
	// cut says that the request, unless it is done, or else its reply is lost by it.
	cut bool
}

var events = []event{
	{name: "SIGINT", strike: func(v *victim) { v.signal(-v.pid(), syscall.SIGINT) }},
	{name: "SIGINT twice", cut: true, strike: func(v *victim) {
		v.signal(-v.pid(), syscall.SIGINT)
		v.ends(500 * time.Millisecond)
		v.signal(-v.pid(), syscall.SIGINT)
		v.ends(time.Minute)
	}},
	{name: "SIGKILL plugin", cut: true, strike: func(v *victim) {
		v.killPlugins()
		v.ends(time.Minute)
	}},
	{name: "SIGKILL CLI", cut: true, strike: func(v *victim) {
		v.signal(v.pid(), syscall.SIGKILL)
		v.ends(time.Minute)
		v.killPlugins() // It may be left behind.
	}},
	{name: "server gone", cut: true, strike: func(v *victim) { v.gate.when(everything, -1, cut) }},
}

// telling are the cells that are tried every time; AGENTPLANE_TEST_KILLMATRIX tries all.
var telling = []string{
	"create, POST done, SIGKILL plugin", "create, POST done, SIGKILL CLI", "create, POST done, server gone", "create, later poll, SIGINT twice",
	"update, PATCH done, SIGKILL CLI", "delete, DELETE done, SIGKILL plugin",
}

func TestAccKillMatrix(t *testing.T) {
	providertest.InOneDialect(t)
	t.Parallel()
	provider := buildProvider(t)
	var mu sync.Mutex
	table := map[string]string{}
	t.Cleanup(func() { t.Log("\n" + matrixOf(table)) })
	for _, m := range moments {
		for _, e := range events {
			name := m.operation + ", " + m.name + ", " + e.name
			if os.Getenv("AGENTPLANE_TEST_KILLMATRIX") == "" && !slices.Contains(telling, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				outcome := (&victim{cli: newCLI(t, provider)}).suffer(m, e)
				mu.Lock()
				defer mu.Unlock()
				table[name] = outcome
			})
		}
	}
}

// matrixOf is the table in Markdown: a row for each moment, a column for each event.
func matrixOf(table map[string]string) string {
	var b strings.Builder
	b.WriteString("| operation | at |")
	for _, e := range events {
		b.WriteString(" " + e.name + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", 2+len(events)) + "\n")
	for _, m := range moments {
		fmt.Fprintf(&b, "| %s | %s |", m.operation, m.name)
		for _, e := range events {
			fmt.Fprintf(&b, " %s |", cmp.Or(table[m.operation+", "+m.name+", "+e.name], "–"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// victim is a CLI with its plugin and its server, one of which something happens to.
type victim struct {
	*cli
	mu      sync.Mutex
	process *os.Process
	ended   chan struct{}
	// struck is closed after the moment.
	struck chan struct{}
}

// suffer runs an operation into an event, then whatever leads out of it, and returns what was left, and what the next apply
// did.
func (v *victim) suffer(m moment, e event) string {
	v.t.Helper()
	command := []string{"apply", "-auto-approve"}
	revisions, left := 1, 1
	// A server that is gone is waited for to the end. A deletion uses the timeout in state.
	v.env = append(v.env, "TF_VAR_other_timeout=20s")
	if v.plane.Dialect().ProjectsBlockNames { // Of what has become healthy but is tainted, the project would stay.
		v.env = append(v.env, "TF_VAR_delete_tracing_project=true")
	}
	if m.operation != "create" {
		v.fly()
		v.expect(true, "1 added", nil, command...)
		v.gate.reset()
	}
	switch m.operation {
	case "update":
		v.env = append(v.env, "TF_VAR_image_uri=registry.example.com/agents/chat:2.0.0")
		revisions = 2
	case "delete":
		command = []string{"destroy", "-auto-approve"}
		left = 0
	}
	patient := v.env
	v.env = append(slices.Clone(v.env), "TF_VAR_create_timeout=10s", "AGENTPLANE_MAX_RETRIES=1")
	if m.fast {
		v.gate.when(polling, 1, meanwhile(v.pass))
	}
	v.gate.after(m.skip, m.pattern, 1, v.at(m, e))
	said := v.interrupted(command...)
	select {
	case <-v.struck:
	case <-time.After(tooLong):
		v.t.Fatalf("the moment never came: %s", said)
	}
	v.killPlugins()
	outcome := v.survey()

	v.pass()
	v.gate.reset()
	v.fly()
	v.env = patient
	output, ok := v.run(nil, command...)
	next := v.summary(output)
	if !ok {
		next = "import block"
		v.importAsTold(output, said)
		v.expect(true, "1 imported, 0 added, 1 changed, 0 destroyed", nil, "apply", "-auto-approve")
		// The change of a new deployment is that its environment is managed from now on: nothing is sent.
		if sent := v.gate.count(changing); m.operation == "create" && sent > 0 {
			v.t.Errorf("%d changes were sent", sent)
		}
	}
	v.converged(left, revisions)
	return outcome + "; " + next
}

// at makes the event happen at a moment.
func (v *victim) at(m moment, e event) action {
	v.struck = make(chan struct{})
	return func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		defer close(v.struck)
		reply := httptest.NewRecorder()
		if m.done {
			pass.ServeHTTP(reply, r)
		}
		e.strike(v)
		if e.cut {
			panic(http.ErrAbortHandler)
		}
		if !m.done {
			pass.ServeHTTP(reply, r)
		}
		w.Header().Set("Content-Type", reply.Header().Get("Content-Type"))
		w.WriteHeader(reply.Code)
		_, _ = w.Write(reply.Body.Bytes())
	}
}

// interrupted runs a command in a process group of its own, as a shell does, and returns what it said. Its output goes to a
// file: a pipe would stay open as long as the plugin is there.
func (v *victim) interrupted(args ...string) string {
	v.t.Helper()
	output, err := os.Create(filepath.Join(v.t.TempDir(), "output"))
	if err != nil {
		v.t.Fatal(err)
	}
	defer output.Close()
	command := exec.CommandContext(v.t.Context(), v.path, args...)
	command.Dir, command.Env, command.Stdout, command.Stderr = v.directory, v.env, output, output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	v.mu.Lock()
	err = command.Start()
	v.process, v.ended = command.Process, make(chan struct{})
	v.mu.Unlock()
	if err != nil {
		v.t.Fatal(err)
	}
	failed := command.Wait()
	close(v.ended)
	said, err := os.ReadFile(output.Name())
	if err != nil || failed == nil {
		v.t.Logf("%v succeeded: %s %v", args, said, err)
	}
	return string(said)
}

// pid is the CLI's.
func (v *victim) pid() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.process.Pid
}

// ends waits until the CLI has ended, at most that long.
func (v *victim) ends(limit time.Duration) {
	select {
	case <-v.ended:
	case <-time.After(limit):
	}
}

// signal may come too late, which is fine.
func (v *victim) signal(pid int, signal syscall.Signal) {
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		v.t.Error(err)
	}
}

func (v *victim) killPlugins() {
	for _, plugin := range v.plugins() {
		v.signal(plugin, syscall.SIGKILL)
	}
}

// plugins are the processes of the provider in the directory of the CLI.
func (v *victim) plugins() []int {
	var pids []int
	found, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range found {
		directory, err := os.Readlink(link)
		program, unread := os.Readlink(filepath.Join(filepath.Dir(link), "exe"))
		if err == nil && unread == nil && directory == v.directory && strings.HasPrefix(filepath.Base(program), "terraform-provider-agentplane") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// pass lets everything that takes time come to its end.
func (v *victim) pass() { v.plane.Clock.Advance(providertest.Rollout) }

// fly makes nothing take time.
func (v *victim) fly() {
	v.gate.when(polling, -1, meanwhile(v.pass))
	v.gate.when(deletion, -1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(w, r)
		v.pass()
	})
}

// survey says where the deployment is: nowhere, on the server alone, or in the state, too.
func (v *victim) survey() string {
	v.t.Helper()
	current, _ := v.instances()
	there := v.deployments()
	switch {
	case len(there) > 1 || len(current) > 1:
		v.t.Errorf("doubled: %d on the server, %d in the state", len(there), len(current))
		return "doubled"
	case len(there) == 0 && len(current) == 0:
		return "nothing"
	case len(current) == 0:
		return "orphan"
	case len(there) > 0 && current[0].Attributes.ID != there[0]:
		v.t.Errorf("the state holds %s, the server %v", current[0].Attributes.ID, there)
	}
	return cmp.Or(current[0].Status, "kept")
}

// deployments are the ids of all that are on the server.
func (v *victim) deployments() []string {
	var list struct {
		Resources []struct {
			ID string `json:"id"`
		} `json:"resources"`
	}
	v.plane.Call(http.MethodGet, "/v2/deployments", nil, &list)
	ids := make([]string, len(list.Resources))
	for i, deployment := range list.Resources {
		ids[i] = deployment.ID
	}
	return ids
}

// summary is what an apply did.
func (v *victim) summary(output string) string {
	for says, means := range map[string]string{
		"1 added, 0 changed, 1 destroyed": "replaced", "1 added, 0 changed, 0 destroyed": "created", "0 added, 0 changed, 0 destroyed": "no changes",
		"0 added, 1 changed, 0 destroyed": "waited", "Resources: 1 destroyed": "destroyed", "Resources: 0 destroyed": "seen gone",
	} {
		if strings.Contains(output, says) {
			if means == "waited" && v.gate.count(changing) > 0 {
				return "changed"
			}
			return means
		}
	}
	return output
}

// importAsTold adds the import block that an error prints.
func (v *victim) importAsTold(output, before string) {
	v.t.Helper()
	there := v.deployments()
	if len(there) != 1 || !strings.Contains(output, fmt.Sprintf("import { to = ADDRESS id = %q }", there[0])) {
		v.t.Fatalf("no import block for %v in %s\n\nafter %s", there, output, before)
	}
	block := fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, there[0])
	if err := os.WriteFile(filepath.Join(v.directory, "import.tf"), []byte(block), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

// converged expects everything to be as if nothing had happened.
func (v *victim) converged(left, revisions int) {
	v.t.Helper()
	current, content := v.instances()
	there := v.deployments()
	if len(there) != left || len(current) != left {
		v.t.Fatalf("left are %v, and in the state %s", there, content)
	}
	if left == 0 {
		return
	}
	if current[0].Attributes.ID != there[0] || current[0].Status != "" {
		v.t.Errorf("left are %v, and in the state %s", there, content)
	}
	if err := expectRevisions(v.plane, revisions)(nil); err != nil {
		v.t.Error(err)
	}
	v.expect(true, "No changes.", nil, "plan", "-detailed-exitcode")
}
