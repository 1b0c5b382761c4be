package providertest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// The matrix of objects that are deleted outside of Terraform: dialect x deletion_protection x what is done to an object of each resource x
// command x refresh. Nothing that is gone may block a command, objects of the same configuration that are there get their update, and the
// first plan says which names are taken.

// deletedVariable makes TestAccDeletedOutside run all cells of the matrix.
const deletedVariable = "AGENTPLANE_TEST_DELETED"

// The acts.
const (
	deleted     = "deleted" // Deletions of deployments are in progress.
	purged      = "purged"
	recreated   = "deleted and created again"
	interrupted = "destroy interrupted"
)

type deletedCell struct {
	protected bool
	act       string
	command   string
	refresh   bool
}

func (c deletedCell) String() string {
	return fmt.Sprintf("protected=%t, %s, %s -refresh=%t", c.protected, c.act, c.command, c.refresh)
}

// fewDeleted are the cells that always run.
var fewDeleted = []deletedCell{
	{true, deleted, "apply", true}, {true, purged, "destroy", false}, {false, recreated, "plan", true},
}

func TestAccDeletedOutside(t *testing.T) {
	t.Parallel()
	cells := fewDeleted
	if os.Getenv(deletedVariable) != "" {
		cells = nil
		for _, protected := range []bool{false, true} {
			for _, act := range []string{deleted, purged, recreated, interrupted} {
				for _, command := range []string{"plan", "apply", "destroy"} {
					cells = append(cells, deletedCell{protected, act, command, true}, deletedCell{protected, act, command, false})
				}
			}
		}
	}
	for _, cell := range cells {
		t.Run(cell.String(), func(t *testing.T) {
			t.Parallel()
			startOutside(t).check(cell)
		})
	}
}

// outside is a configuration with two objects of each resource. One of each, "gone", is deleted outside of Terraform.
type outside struct {
	*cli
	// interrupt is called after the next deletion of a deployment.
	interrupt atomic.Pointer[func()]
}

func startOutside(t *testing.T) *outside {
	t.Helper()
	plane := providertest.NewDev(t)
	o := &outside{}
	// Rollouts end when they are polled, and deletions when Terraform requests them, or when it wants to create what is being deleted.
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deletes := r.Method == http.MethodDelete && strings.HasPrefix(r.URL.Path, "/v2/deployments/")
		if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/revisions/") {
			plane.Clock.Advance(providertest.Rollout)
		}
		plane.Service.ServeHTTP(w, r)
		if r.Method == http.MethodPost && r.URL.Path == "/v2/deployments" {
			plane.Clock.Advance(providertest.Rollout)
		}
		if deletes {
			if interrupt := o.interrupt.Swap(nil); interrupt != nil {
				(*interrupt)()
				return
			}
			plane.Clock.Advance(providertest.Rollout)
		}
	}))
	t.Cleanup(front.Close)
	plane.Setenv("AGENTPLANE_BASE_URL", front.URL)
	o.cli = startCLI(t, plane)
	o.needs(11, 11) // Write-only arguments.
	o.attach()
	o.write("main.tf", readText(t, "testdata/deleted/main.tf"))
	o.environment = append(o.environment, "TF_VAR_listener_id="+plane.ListenerID, "TF_VAR_k8s_namespace="+plane.K8sNamespace)
	return o
}

// outsideObject is one of the two objects of a resource.
type outsideObject struct {
	// path is its path in the service, and list that of all. key is the member of the list's elements that the path ends with.
	path, list, key string
	// again creates another one with the same name.
	again func(o *outside)
	// updates says that another generation updates it.
	updates bool
	// taken is what a plan says of another object with the name.
	taken string
	// follows says that Terraform manages the other object then: users choose what identifies it.
	follows bool
}

// objectOf describes an object in the state.
func (o *outside) objectOf(resource string, state map[string]any) outsideObject {
	o.t.Helper()
	text := func(name string) string { s, _ := state[name].(string); return s }
	post := func(path string, body map[string]any) func(*outside) {
		return func(o *outside) { o.plane.Call(http.MethodPost, path, body, nil) }
	}
	switch id := text("id"); resource {
	case "agentplane_oauth_provider":
		return outsideObject{
			path: "/v2/auth/providers/" + text("provider_id"), list: "/v2/auth/providers", key: "provider_id", updates: true, follows: true,
			again: post("/v2/auth/providers", map[string]any{
				"provider_id": text("provider_id"), "name": "By hand", "client_id": "agents", "auth_url": text("auth_url"), "token_url": text("token_url"),
			}), taken: "OAuth provider was created again",
		}
	case "agentplane_oauth_token":
		return outsideObject{
			path: "/v2/auth/tokens/" + id, list: "/v2/auth/tokens", key: "id", updates: true,
			again: post("/v2/auth/tokens/import", map[string]any{"provider_id": "base", "access_token": "by hand"}),
		}
	case "agentplane_agent_connection":
		list := "/v2/auth/agents/" + text("agent_id") + "/connections"
		return outsideObject{path: list + "/" + id, list: list, key: "id", again: post(list, map[string]any{"oauth_token_id": text("oauth_token_id")}), taken: `Connection "connected-gone" exists already`}
	case "agentplane_agent_provider_token":
		agent := "/v2/auth/agents/" + text("agent_id")
		return outsideObject{
			path: agent + "/connections/" + id, list: agent + "/connections", key: "id", updates: true,
			again: post(agent+"/providers/base/tokens", map[string]any{"access_token": "by hand"}), taken: "Agent has a token already",
		}
	case "agentplane_model_price":
		return outsideObject{
			path: "/api/v1/model-price-map/" + id, list: "/api/v1/model-price-map", key: "id", updates: true,
			again: post("/api/v1/model-price-map", map[string]any{
				"name": text("name"), "match_pattern": text("match_pattern"), "prompt_cost": 1, "completion_cost": 1,
			}), taken: `Model price "model-gone" exists already`,
		}
	case "agentplane_listener":
		return outsideObject{
			path: "/v2/listeners/" + id, list: "/v2/listeners", key: "id", updates: true,
			again: post("/v2/listeners", map[string]any{
				"compute_type": "k8s", "compute_id": text("compute_id"), "compute_config": map[string]any{"k8s_namespaces": []string{"agents"}},
			}), taken: `Listener "cluster-gone" exists already`,
		}
	case "agentplane_deployment":
		config := o.plane.SourceConfig(api.SourceExternalContainer, map[string]any{
			"listener_id": o.plane.ListenerID, "listener_config": map[string]any{"k8s_namespace": o.plane.K8sNamespace},
		})
		return outsideObject{
			path: "/v2/deployments/" + id, list: "/v2/deployments", key: "id", updates: true,
			again: post("/v2/deployments", map[string]any{
				"name": text("name"), "source": "external_container", "source_config": config,
				"source_revision_config": map[string]any{"image_uri": "registry.example.com/by/hand:1"}, "secrets": []any{},
			}), taken: "Name is taken",
		}
	case "agentplane_llm_run": // A run can't be deleted alone. It stays in the state without its project.
		return outsideObject{path: "/api/v1/sessions/" + text("project_id"), list: "/api/v1/sessions", key: "id"}
	}
	o.t.Fatalf("no object of %s", resource)
	return outsideObject{}
}

// instance is an object in a state file.
type instance struct {
	resource, key string
	attributes    map[string]any
}

func (i instance) address() string { return fmt.Sprintf("%s.test[%q]", i.resource, i.key) }

// instances returns the two objects of each resource in the state.
func (o *outside) instances() []instance {
	o.t.Helper()
	content, err := os.ReadFile(filepath.Join(o.directory, "terraform.tfstate"))
	if err != nil {
		o.t.Fatal(err)
	}
	var state struct {
		Resources []struct {
			Type, Name string
			Instances  []struct {
				Key        string `json:"index_key"`
				Attributes map[string]any
				Status     string
			}
		}
	}
	if err := json.Unmarshal(content, &state); err != nil {
		o.t.Fatal(err)
	}
	var all []instance
	for _, resource := range state.Resources {
		for _, i := range resource.Instances {
			if i.Status != "" {
				o.t.Errorf("%s.%s[%q] is %s", resource.Type, resource.Name, i.Key, i.Status)
			}
			if resource.Name == "test" {
				all = append(all, instance{resource.Type, i.Key, i.Attributes})
			}
		}
	}
	return all
}

// exists reports whether the service has an object that isn't being deleted.
func (o *outside) exists(i instance) bool {
	o.t.Helper()
	object := o.objectOf(i.resource, i.attributes)
	var answer any
	o.plane.Call(http.MethodGet, object.list, nil, &answer)
	if page, ok := answer.(map[string]any); ok {
		for _, member := range page {
			if items, ok := member.([]any); ok {
				answer = items
			}
		}
	}
	items, _ := answer.([]any)
	return slices.ContainsFunc(items, func(item any) bool {
		is, _ := item.(map[string]any)
		status, _ := is["status"].(string)
		return is[object.key] == filepath.Base(object.path) && !strings.HasPrefix(status, "AWAITING_")
	})
}

func (o *outside) set(variables ...string) { o.environment = append(o.environment, variables...) }

// ended runs a command, and returns whether it succeeded, and what a person sees.
func (o *outside) ended(arguments ...string) (bool, string) {
	o.t.Helper()
	var output bytes.Buffer
	command := o.command(arguments...)
	command.Stdout, command.Stderr = &output, &output
	err := command.Start()
	if err != nil {
		o.t.Fatal(err)
	}
	interrupt := func() { _ = command.Process.Signal(os.Interrupt) }
	if slices.Contains(arguments, "-target="+`agentplane_deployment.test["gone"]`) {
		o.interrupt.Store(&interrupt)
	}
	err = command.Wait()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		o.t.Fatal(err)
	}
	return err == nil, output.String()
}

// do does to the objects with the key "gone" what the cell says, and returns those that are gone, by address.
func (o *outside) do(act string) map[string]instance {
	o.t.Helper()
	made := o.instances()
	if act == interrupted {
		targets := []string{"destroy", "-auto-approve"}
		for _, i := range made {
			if i.key == "gone" {
				targets = append(targets, "-target="+i.address())
			}
		}
		if ok, output := o.ended(targets...); ok {
			o.t.Fatalf("the destroy wasn't interrupted: %s", output)
		}
		made = o.instances()
	}
	gone := map[string]instance{}
	for _, i := range made {
		object := o.objectOf(i.resource, i.attributes)
		switch {
		case i.key != "gone":
			continue
		case act == interrupted:
		case i.resource == "agentplane_deployment" && act == recreated: // Without its project, the name is free.
			o.plane.Call(http.MethodDelete, object.path+o.withProject(), nil, nil)
		default:
			o.plane.Call(http.MethodDelete, object.path, nil, nil)
		}
		if !o.exists(i) && i.resource != "agentplane_llm_run" {
			gone[i.address()] = i
		}
	}
	if act == purged || act == recreated {
		o.plane.Clock.Advance(providertest.Rollout)
	}
	if act == recreated {
		for _, i := range gone {
			o.objectOf(i.resource, i.attributes).again(o)
		}
		o.plane.Clock.Advance(providertest.Rollout)
	}
	return gone
}

func (o *outside) withProject() string {
	if o.plane.Dialect().ProjectsBlockNames {
		return "?delete_tracing_project=true"
	}
	return ""
}

// check runs a cell of the matrix.
func (o *outside) check(cell deletedCell) {
	o.t.Helper()
	protect := fmt.Sprintf("TF_VAR_protected=%t", cell.protected)
	if cell.act != interrupted { // A protected object can't be destroyed: it is protected later.
		o.set(protect)
	}
	o.run(0, "apply", "-auto-approve")
	o.run(0, "apply", "-refresh-only", "-auto-approve") // What no read has shown yet isn't proved gone.
	before := o.instances()
	gone := o.do(cell.act)
	o.set(protect, "TF_VAR_generation=2")
	arguments := []string{cell.command, fmt.Sprintf("-refresh=%t", cell.refresh)}
	if cell.command != "plan" {
		arguments = append(arguments, "-auto-approve")
	}
	ok, output := o.ended(arguments...)
	e := expectation{o, cell, before, gone, o.taken(cell, gone)}
	if fails := e.fails(); ok != (len(fails) == 0) {
		o.t.Fatalf("%s: succeeded = %t, want failures of %q:\n%s", arguments, ok, fails, output)
	}
	e.blames(output)
	switch cell.command {
	case "plan":
		e.planned(output)
	case "apply":
		e.applied(output)
	default:
		e.destroyed()
	}
}

// diagnostics returns the errors or warnings, whichever kind is, in what a person sees of a command, each with what follows it.
func diagnostics(kind, output string) []string {
	var found []string
	begins := begin.FindAllStringIndex(output, -1)
	for i, at := range begins {
		end := len(output)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		if text := output[at[0]:end]; strings.HasPrefix(text, kind+": ") {
			found = append(found, text)
		}
	}
	return found
}

// begin matches the begin of a diagnostic.
var begin = regexp.MustCompile(`(?m)^(Error|Warning): `)

// blames checks that all errors are those of objects that can't be created, changed or destroyed.
func (e expectation) blames(output string) {
	e.t.Helper()
	fails := e.fails()
	for _, problem := range diagnostics("Error", output) {
		if !slices.ContainsFunc(fails, func(address string) bool { return strings.Contains(problem, "with "+address+",") }) {
			e.t.Errorf("an error of something else than %q:\n%s", fails, problem)
		}
	}
}

// taken returns what a plan with a refresh says of the names that what is gone had, by address.
func (o *outside) taken(cell deletedCell, gone map[string]instance) map[string]string {
	taken := map[string]string{}
	for address, i := range gone {
		switch object := o.objectOf(i.resource, i.attributes); {
		case cell.act == recreated && object.taken != "":
			taken[address] = object.taken
		case i.resource == "agentplane_deployment" && cell.act != recreated && o.plane.Dialect().ProjectsBlockNames:
			taken[address] = "Name is reserved"
		}
	}
	return taken
}

// expectation is what a command does after what a cell of the matrix does to some objects.
type expectation struct {
	*outside
	cell   deletedCell
	before []instance
	gone   map[string]instance
	taken  map[string]string
}

// fails returns the addresses of what the command can't create, change or destroy. A plan always succeeds, and so does a destroy, unless what is
// protected was created again and is managed.
func (e expectation) fails() []string {
	var fails []string
	for address, i := range e.gone {
		_, isTaken := e.taken[address]
		follows, updates := e.follows(address), e.objectOf(i.resource, i.attributes).updates
		switch {
		case e.cell.command == "apply" && !follows && e.cell.refresh && isTaken,
			e.cell.command == "apply" && !follows && !e.cell.refresh && updates, // What is gone can't be updated.
			e.cell.command == "destroy" && follows && e.cell.protected:
			fails = append(fails, address)
		}
	}
	return fails
}

func (e expectation) follows(address string) bool {
	i := e.gone[address]
	return e.cell.act == recreated && e.objectOf(i.resource, i.attributes).follows
}

// planned checks the actions of a plan, and what it says of names that are taken.
func (e expectation) planned(output string) {
	e.t.Helper()
	for _, i := range e.before {
		_, isGone := e.gone[i.address()]
		inState := slices.ContainsFunc(e.instances(), func(now instance) bool { return now.address() == i.address() })
		want := ""
		switch {
		case !inState || isGone && e.cell.refresh && !e.follows(i.address()):
			want = "will be created"
		case e.objectOf(i.resource, i.attributes).updates:
			want = "will be updated in-place"
		}
		if want != "" && !strings.Contains(output, i.address()+" "+want) {
			e.t.Errorf("%s isn't planned: %s\n%s", want, i.address(), output)
		}
	}
	e.warns(output)
}

// warns checks that a plan after a refresh says which names are taken.
func (e expectation) warns(output string) {
	e.t.Helper()
	for address, says := range e.taken {
		if e.cell.refresh && !slices.ContainsFunc(diagnostics("Warning", output), func(warning string) bool {
			return strings.HasPrefix(warning, "Warning: "+says) && strings.Contains(warning, "with "+address+",")
		}) {
			e.t.Errorf("the plan doesn't say %q of %s:\n%s", says, address, output)
		}
	}
}

// applied checks that all objects that were there have their update, and that all others exist unless their name is taken.
func (e expectation) applied(output string) {
	e.t.Helper()
	e.warns(output)
	now := map[string]instance{}
	for _, i := range e.instances() {
		now[i.address()] = i
	}
	for _, i := range e.before {
		_, isGone := e.gone[i.address()]
		_, isTaken := e.taken[i.address()]
		object := e.objectOf(i.resource, i.attributes)
		is, inState := now[i.address()]
		switch {
		case i.resource == "agentplane_llm_run":
		case isGone && !e.follows(i.address()) && (isTaken || !e.cell.refresh && object.updates):
			continue
		case !inState || e.cell.refresh && !e.exists(is):
			e.t.Errorf("%s doesn't exist: %s", i.address(), output)
		}
		if written, _ := json.Marshal(is.attributes); object.updates && !generation2.Match(written) {
			e.t.Errorf("%s isn't updated: %s\n%s", i.address(), written, output)
		}
	}
}

// generation2 matches what only the second generation of the configuration has.
var generation2 = regexp.MustCompile(`Generation 2|(gone|kept) 2|"tokens_wo_version":2|"2e-6"|"0\.2"|chat:2\.0\.0`)

// destroyed checks that nothing of the configuration is left, and that what was created by hand is.
func (e expectation) destroyed() {
	e.t.Helper()
	if len(e.fails()) > 0 {
		return
	}
	if left := e.instances(); len(left) > 0 {
		e.t.Errorf("the state still has %v", left)
	}
	for _, i := range e.before {
		if i.resource != "agentplane_llm_run" && e.exists(i) {
			e.t.Errorf("%s still exists", i.address())
		}
	}
}
