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

// The kill matrix: what a create, an update and a delete leave behind if a process is killed during them. The
// next apply must result in exactly one deployment that is in state, if necessary with the import block that it prints.

// moment is a request of an operation.
type moment struct {
	operation, name, pattern string
	skip                     int
	// done means that the service has processed the request by then.
	done bool
	// fast means that the rollout is finished by then.
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
	// strike triggers the event.
	strike func(*victim)
	// cut means that the event loses the request, or its reply if it was processed.
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
		v.killPlugins() // The plugin may be left behind.
	}},
	{name: "server gone", cut: true, strike: func(v *victim) { v.gate.when(everything, -1, cut) }},
}

// telling are the cells that always run; AGENTPLANE_TEST_KILLMATRIX runs all.
var telling = []string{
	"create, POST done, SIGKILL CLI", "create, later poll, SIGINT twice", "update, PATCH done, SIGKILL CLI", "delete, DELETE done, SIGKILL plugin",
}

func TestAccKillMatrix(t *testing.T) {
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

// matrixOf formats the table in Markdown: a row for each moment, a column for each event.
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

// victim is a CLI with its plugin and its server, one of which is hit by the event.
type victim struct {
	*cli
	mu      sync.Mutex
	process *os.Process
	ended   chan struct{}
	// struck is closed after the event.
	struck chan struct{}
}

// suffer runs an operation with an event, and then recovers. It returns what was left, and what the next apply
// did.
func (v *victim) suffer(m moment, e event) string {
	v.t.Helper()
	command := []string{"apply", "-auto-approve"}
	revisions, left := 1, 1
	// The provider waits for an unavailable server until the timeout. A deletion uses the timeout in state.
	v.env = append(v.env, "TF_VAR_other_timeout=20s")
	if v.plane.Dialect().ProjectsBlockNames { // Otherwise, the project of a tainted deployment that became healthy would stay.
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
		v.t.Fatalf("the request at which to strike was never sent: %s", said)
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
		// The only change of a new deployment is that its environment becomes managed: nothing is sent.
		if sent := v.gate.count(changing); m.operation == "create" && sent > 0 {
			v.t.Errorf("sent %d PATCHes after the creation, want none", sent)
		}
	}
	v.converged(left, revisions)
	return outcome + "; " + next
}

// at triggers the event at a moment.
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

// interrupted runs a command in its own process group, as a shell does, and returns its output. The output goes to a
// file: a pipe would stay open as long as the plugin runs.
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

// pid is the CLI's process ID.
func (v *victim) pid() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.process.Pid
}

// ends waits until the CLI has exited, up to a timeout.
func (v *victim) ends(limit time.Duration) {
	select {
	case <-v.ended:
	case <-time.After(limit):
	}
}

// signal sends a signal. The process may already have exited.
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

// plugins returns the provider's processes in the CLI's directory.
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

// pass finishes all rollouts and deletions.
func (v *victim) pass() { v.plane.Clock.Advance(providertest.Rollout) }

// fly makes rollouts and deletions instantaneous.
func (v *victim) fly() {
	v.gate.when(polling, -1, meanwhile(v.pass))
	v.gate.when(deletion, -1, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(w, r)
		v.pass()
	})
}

// survey returns where the deployment is: nowhere, only on the server, or also in state.
func (v *victim) survey() string {
	v.t.Helper()
	current, _ := v.instances()
	there := v.deployments()
	switch {
	case len(there) > 1 || len(current) > 1:
		v.t.Errorf("%d deployments on the server, %d in state, want at most one", len(there), len(current))
		return "doubled"
	case len(there) == 0 && len(current) == 0:
		return "nothing"
	case len(current) == 0:
		return "orphan"
	case len(there) > 0 && current[0].Attributes.ID != there[0]:
		v.t.Errorf("deployment in state = %s, want the server's, %v", current[0].Attributes.ID, there)
	}
	return cmp.Or(current[0].Status, "kept")
}

// deployments returns the IDs of all deployments on the server.
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

// summary returns what an apply did.
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

// importAsTold adds the import block in an error to the configuration.
func (v *victim) importAsTold(output, before string) {
	v.t.Helper()
	there := v.deployments()
	if len(there) != 1 || !strings.Contains(output, fmt.Sprintf("import { to = ADDRESS id = %q }", there[0])) {
		v.t.Fatalf("want the import block of %v in the output: %s\n\nafter %s", there, output, before)
	}
	block := fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, there[0])
	if err := os.WriteFile(filepath.Join(v.directory, "import.tf"), []byte(block), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

// converged expects the same result as without the event.
func (v *victim) converged(left, revisions int) {
	v.t.Helper()
	current, content := v.instances()
	there := v.deployments()
	if len(there) != left || len(current) != left {
		v.t.Fatalf("deployments = %v, state = %s; want the expected number in both", there, content)
	}
	if left == 0 {
		return
	}
	if current[0].Attributes.ID != there[0] || current[0].Status != "" {
		v.t.Errorf("deployments = %v, state = %s; want the same one, not tainted", there, content)
	}
	if err := expectRevisions(v.plane, revisions)(nil); err != nil {
		v.t.Error(err)
	}
	v.expect(true, "No changes.", nil, "plan", "-detailed-exitcode")
}
