package table

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// row is a resource in the table: each TestAccTable is a column, a behaviour that all resources have. Arguments come from the schema.
type row struct {
	// label is how texts name the object of config, and verbs are those of its operations if they are other words.
	label string
	verbs map[string]string
	// create, read, update, remove and list match the requests of the operations. Without a read, the list shows an object.
	create, read, update, remove, list string
	// removes is the query with which another user deletes all that belongs to the object.
	removes string
	// key is the argument, and the member of bodies, that tells objects of the list apart.
	key string
	// config makes what an object refers to, and returns the required arguments.
	config func(p *providertest.Plane) object
	// imports are the forms of import IDs, before which a workspace may stand. unread are attributes that an import can't have, because the
	// service doesn't store or return them.
	imports, unread []string
	// whole are the optional arguments, and display is how a query names the object.
	whole   object
	display string
	// page is the page of the web UI that has the configuration of the object.
	page string
	// apart are the arguments of the resource, with the objects that they are in, and those of its query, which the row doesn't set, and why.
	apart map[string]string
	// omits are the columns that don't apply to the resource, and why.
	omits map[string]string
	// seeded is how many objects every dev server has.
	seeded int
	// filters are the arguments of a query that find the object and no other.
	filters object
	// change is a change in place; nil if every change replaces.
	change object
	// busy are the next steps after a conflict of an update or a deletion, where an import doesn't help.
	busy map[string]string
	// confirms is the request that reads the object after a write, if it isn't read. unproved are the operations after which nothing reads it.
	confirms string
	unproved []string
	// once are the operations that aren't sent again when their request may have arrived, because that could do the work twice.
	once []string
	// refers: the key, or a part of it, is that of another object.
	refers bool
	// absent are further answers to a read that say that the service doesn't have the object.
	absent []devserver.Fault
	// renewed: a plan with an unknown argument replaces the object, which loses nothing.
	renewed bool
	// record: nothing deletes the objects of the service.
	record bool
}

type object = map[string]any

var table = map[string]row{
	"agentplane_listener": {
		label:  `listener "one & more"`,
		busy:   map[string]string{"update": "Another change of this listener is in progress", "delete": "Delete the deployments first"},
		create: "POST /v2/listeners", read: "GET /v2/listeners/{id}", update: "PATCH /v2/listeners/{id}", remove: "DELETE /v2/listeners/{id}",
		list: "GET /v2/listeners", key: "compute_id",
		config:  fixed(object{"compute_id": "one & more", "compute_config": object{}}),
		change:  object{"version": "2.0.0"},
		imports: []string{"{id}", "name:{compute_id}"}, display: "{compute_id}", seeded: 1, filters: object{"compute_id": "one & more"},
		whole: object{
			"compute_type": "k8s", "compute_config": object{"k8s_namespaces": []any{"a", "b"}}, "version": "1.0.0", "timeouts": object{"delete": "5m"},
		},
		unread: []string{"timeouts"}, page: "/ui/listeners",
	},
	"agentplane_oauth_provider": {
		label: `OAuth provider "one"`,
		busy: map[string]string{
			"update": "Another change of this OAuth provider is in progress, or it is still in use. Apply again",
			"delete": "Another change of this OAuth provider is in progress, or it is still in use. Apply again",
		},
		create: "POST /v2/auth/providers", read: "GET /v2/auth/providers/{provider_id}", update: "PATCH /v2/auth/providers/{provider_id}",
		remove: "DELETE /v2/auth/providers/{provider_id}", list: "GET /v2/auth/providers", key: "provider_id",
		config: fixed(login("one")),
		change: object{"name": "Mail"}, absent: []devserver.Fault{{Status: 404}, {Status: 400, Detail: "Unknown provider"}},
		imports: []string{"{provider_id}"}, display: "{name}", filters: object{"name_contains": "R & c", "provider_type": "slack"},
		whole: object{
			"name": "Calendar & Co", "uses_pkce": true, "code_challenge_method": "plain", "provider_type": "slack",
			"token_endpoint_auth_method": "client_secret_basic", "authorization_params": object{"prompt": "consent"},
			"allowed_redirect_uris": []any{"app://back"}, "deletion_protection": false,
		},
		apart: map[string]string{
			"client_secret": "TestAccOAuthProvider_secret", "client_secret_wo": "TestAccOAuthProvider_secretWriteOnly",
			"client_secret_wo_version": "TestAccOAuthProvider_secretWriteOnly", "mcp_server_url": "TestAccOAuthProvider_discovered",
		},
		page: "/ui/oauth",
	},
	"agentplane_model_price": {
		label: `model price "one & more"`,
		busy: map[string]string{
			"update": "No two entries of a workspace may have the same name",
			"delete": "Another change of this entry is in progress, or it is still in use. Apply again",
		},
		create: "POST /api/v1/model-price-map", update: "PUT /api/v1/model-price-map/{id}", remove: "DELETE /api/v1/model-price-map/{id}",
		list: "GET /api/v1/model-price-map", key: "name", unproved: []string{"delete"}, // A second DELETE says so.
		config:  fixed(object{"name": "one & more", "match_pattern": "^one$", "prompt_cost": "1e-6", "completion_cost": "2e-6"}),
		change:  object{"prompt_cost": "3e-6"},
		imports: []string{"{id}", "name:{name}"}, display: "{name}", filters: object{"name_contains": "E & M", "model_provider": "example"},
		whole: object{
			"match_path": []any{"endpoint_name", "model"}, "model_provider": "example", "start_time": "2026-06-01T02:00:00+02:00",
			"prompt_token_threshold": 200000, "prompt_cost_details": object{"cache_read": "1e-6", "audio": "0.00001"},
			"completion_cost_details": object{"reasoning": "4E-6"},
		},
		unread: []string{"completion_cost_details", "completion_cost", "prompt_cost", "prompt_cost_details", "start_time"}, // Of another spelling.
		page:   "/ui/prices",
	},
	"agentplane_agent_connection": {
		label: `agent "one"`, once: []string{"create"}, renewed: true, verbs: map[string]string{"create": "connect", "read": "read a connection of", "delete": "disconnect"},
		create: "POST /v2/auth/agents/{agent_id}/connections", remove: "DELETE /v2/auth/agents/{agent_id}/connections/{id}",
		list: "GET /v2/auth/agents/{agent_id}/connections", key: "agent_id",
		config: func(p *providertest.Plane) object {
			return object{"agent_id": "one", "oauth_token_id": loggedIn(p, "calendar")}
		},
		imports: []string{"{agent_id}/{id}"}, display: "{agent_id} at calendar",
		apart: map[string]string{
			"provider_id": "TestAccAgentConnection_pending", "provider_account_label": "TestAccAgentConnection_pendingChanges",
		},
		omits: map[string]string{"taken": "A connection has a key of two parts: TestAccAgentConnection_taken."},
	},
	"agentplane_agent_provider_token": {
		label: `agent "one"`, once: []string{"create"}, renewed: true, verbs: map[string]string{"create": "store a token of", "update": "update the token of", "read": "read a connection of", "delete": "disconnect"}, refers: true,
		create: "POST /v2/auth/agents/{agent_id}/providers/{provider_id}/tokens", update: "POST /v2/auth/agents/{agent_id}/providers/{provider_id}/tokens",
		remove: "DELETE /v2/auth/agents/{agent_id}/connections/{id}", list: "GET /v2/auth/agents/{agent_id}/connections", key: "agent_id",
		config: func(p *providertest.Plane) object {
			provide(p, "calendar")
			return object{"agent_id": "one", "provider_id": "calendar", "access_token_wo": "canary", "tokens_wo_version": 1}
		},
		change:  object{"tokens_wo_version": 2},
		imports: []string{"{agent_id}/{id}"}, display: "{agent_id} at {provider_id}",
		whole: object{
			"refresh_token_wo": "canary", "expires_in_seconds": 3600, "provider_account_label": "bot", "scopes": []any{"read", "write"}, "renew": true,
			"timeouts": object{"create": "5m"},
		},
		unread: []string{"tokens_wo_version", "expires_in_seconds", "renew", "timeouts"},
		omits: map[string]string{
			"taken":          "A token has a key of two parts: TestAccAgentProviderToken_taken.",
			"drift":          "A token that expires is sent again only with a new version: TestAccAgentProviderToken_drifted.",
			"readAfterWrite": "Reads share a list for one plan, in which nothing is read after a write.",
		},
	},
	"agentplane_oauth_token": {
		label: `token of OAuth provider "calendar"`, once: []string{"create"}, renewed: true, verbs: map[string]string{"create": "store"}, refers: true,
		create: "POST /v2/auth/tokens/import", update: "PATCH /v2/auth/tokens/{id}/metadata", remove: "DELETE /v2/auth/tokens/{id}",
		list: "GET /v2/auth/tokens", key: "provider_id",
		config: func(p *providertest.Plane) object {
			provide(p, "calendar")
			return object{"provider_id": "calendar", "access_token_wo": "canary"}
		},
		change:  object{"provider_account_label": "work"},
		imports: []string{"{id}", "name:{provider_account_label}"}, display: "{provider_id}: {provider_account_label}",
		whole: object{
			"refresh_token_wo": "canary", "tokens_wo_version": 1, "expires_in_seconds": 3600, "scopes": []any{"read"}, "provider_account_label": "bot",
			"is_default": true,
		},
		filters: object{"provider_id": "calendar"}, unread: []string{"tokens_wo_version", "expires_in_seconds"},
		omits: map[string]string{
			"taken":      "A user may have several tokens of an OAuth provider.",
			"listUnread": "The service may answer with a token that existed before: TestAccOAuthToken_notOurs.",
		},
	},
	"agentplane_deployment": {
		label: `deployment "one"`, busy: map[string]string{"update": "Another change of this deployment is in progress. Apply again when it has finished."},
		once:   []string{"create", "update"},
		create: "POST /v2/deployments", read: "GET /v2/deployments/{id}", update: "PATCH /v2/deployments/{id}", remove: "DELETE /v2/deployments/{id}",
		removes: "?delete_tracing_project=true", list: "GET /v2/deployments", key: "name",
		config: func(p *providertest.Plane) object {
			config := object{
				"name": "one", "source": "external_container",
				"source_config":          object{"listener_id": p.ListenerID, "listener_config": object{"k8s_namespace": p.K8sNamespace}},
				"source_revision_config": object{"image_uri": "registry.example.com/agents/chat:1"},
			}
			if p.Dialect().ProjectsBlockNames {
				config["delete_tracing_project"] = true
			}
			return config
		},
		change:  object{"source_revision_config": object{"image_uri": "registry.example.com/agents/chat:2"}},
		imports: []string{"{id}", "name:{name}"}, display: "{name}", filters: object{"name": "one", "name_contains": "ne"},
		whole: object{
			"environment": object{"LEVEL": "debug"}, "environment_ownership": "declared", "secrets": object{"TOKEN": "canary"}, "triggers": object{"run": "1"},
			"wait_for_deployed": true, "on_failed_create": "keep", "deletion_protection": false,
			"timeouts": object{"create": "1h", "read": "2m", "update": "1h", "delete": "1h"},
		},
		unread: []string{
			"revision_reasons", "delete_tracing_project", "environment", "environment_ownership", "secrets", "triggers", "on_failed_create", "timeouts",
		},
		apart: map[string]string{
			"secrets_wo": "TestAccEnvironment_ephemeral", "secrets_wo_version": "TestAccEnvironment_ephemeral",
			"source_config.resource_spec": "TestAccResourceSpec_everyField", "source_config.custom_url": "TestAccDeployment_everyField",
			"source_config.integration_id": ofRepository, "source_config.repo_url": ofRepository, "source_config.deployment_type": ofRepository,
			"source_config.build_on_push": ofRepository, "source_config.install_command": ofRepository, "source_config.build_command": ofRepository,
			"source_revision_config.repo_ref": ofRepository, "source_revision_config.graph_config_path": ofRepository,
			"source_config.template_id": ofLangSmith, "source_revision_config.source_tarball_path": ofLangSmith, "secret_references": ofLangSmith,
			"delete_tracing_project": ofLangSmith, "display_name": ofLangSmith, "route_through_gateway": ofLangSmith, "shareable": ofLangSmith,
			"compute_tier": ofLangSmith, "database_tier": ofLangSmith, "deployment_tier": ofLangSmith,
			"query.ids": "TestAccDeploymentListResource", "query.status": "TestAccDeploymentListResource",
			"query.deployment_type": "TestAccDeploymentsDataSource_filters", "query.image_version": "TestAccDeploymentsDataSource_filters",
		},
		omits: map[string]string{"taken": "TestAccNames, which has tainted and moved deployments, too."},
	},
	"agentplane_llm_run": {
		label: "the run", verbs: map[string]string{"create": "log"}, imports: []string{"{project_id}/{id}"},
		create: "POST /api/v1/runs", confirms: "GET /api/v2/runs/{id}", list: "POST /api/v1/runs/query", key: "name",
		config: func(p *providertest.Plane) object {
			var project object
			p.Call("POST", "/api/v1/sessions?upsert=true", object{"name": "chat"}, &project)
			return object{
				"name": "one", "project_id": project["id"], "inputs_json": `{"messages":[{"role":"user","content":"?"}]}`,
				"outputs_json": `{"role":"assistant","content":"!"}`,
			}
		},
		whole: object{
			"tags": []any{"smoke", "apply"}, "metadata": object{"revision": "r1"}, "model_name": "example-huge", "model_provider": "example",
			"start_time": "2026-01-01T10:00:00.000000Z", "duration": "1.5s", "time_to_first_token": "250ms", "strict": true, "timeouts": object{"create": "5m"},
		},
		unread: []string{"strict", "timeouts"},
		apart: map[string]string{
			"project_name": "TestAccLLMRun", "triggers": "Setting them after an import logs another run: TestAccLLMRun.",
			"deployment_id": "TestAccLLMRun_everyField", "error": "TestAccLLMRun_everyField",
			"stream_json": "TestAccLLMRun_streamed",
		},
		omits: map[string]string{
			"neverArrived": "A run that may be logged is a warning: TestAccLLMRun_unseen.",
			"unread":       "A run that was read isn't read again: TestAccLLMRun_unreadable.",
			"taken":        "Runs may have the same name.",
		},
		record: true,
	},
}

// These are where a deployment has other arguments.
const (
	ofRepository = "of git_host: TestAccDeployment_everyField"
	ofLangSmith  = "of the dialect langsmith: package deployment"
)

func fixed(config object) func(*providertest.Plane) object {
	return func(*providertest.Plane) object { return maps.Clone(config) }
}

// login is an OAuth provider.
func login(id string) object {
	return object{
		"provider_id": id, "name": "Calendar", "client_id": "agents", "auth_url": "https://login.example.com/authorize",
		"token_url": "https://login.example.com/token",
	}
}

// provide makes an OAuth provider, unless it exists.
func provide(p *providertest.Plane, id string) {
	var all []object
	p.Call("GET", "/v2/auth/providers", nil, &all)
	if !slices.ContainsFunc(all, func(o object) bool { return o["provider_id"] == id }) {
		p.Call("POST", "/v2/auth/providers", login(id), nil)
	}
}

// loggedIn makes an OAuth provider and a token of the user, and returns its ID.
func loggedIn(p *providertest.Plane, id string) string {
	provide(p, id)
	var token object
	p.Call("POST", "/v2/auth/tokens/import", object{"provider_id": id, "access_token": "canary"}, &token)
	return fmt.Sprint(token["token_id"])
}

// TestRows expects a row for each resource, and reasons for what a row omits, which name tests that exist.
func TestRows(t *testing.T) {
	t.Parallel()
	resources := providertest.NewDev(t).RPC().Schema.ResourceSchemas
	if diff := cmp.Diff(slices.Sorted(maps.Keys(resources)), slices.Sorted(maps.Keys(table))); diff != "" {
		t.Errorf("rows (-resources +table):\n%s", diff)
	}
	declared := map[string]bool{}
	for _, directory := range []string{".", "../../provider"} {
		if err := filepath.WalkDir(directory, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range function.FindAllStringSubmatch(string(text), -1) {
				declared[found[1]] = true
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for typeName, r := range table {
		if (r.change == nil) != (r.update == "") {
			t.Errorf("%s has a change in place without the request of an update, or the request without a change", typeName)
		}
		for column, reason := range r.omits {
			if !declared["TestAccTable_"+column] || reason == "" {
				t.Errorf("%s omits %s, which is no column, or gives no reason", typeName, column)
			}
		}
		for _, reason := range slices.Concat(slices.Collect(maps.Values(r.omits)), slices.Collect(maps.Values(r.apart))) {
			for _, name := range named.FindAllString(reason, -1) {
				if !declared[name] {
					t.Errorf("%s: there is no %s", typeName, name)
				}
			}
		}
	}
}

var (
	function = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	named    = regexp.MustCompile(`TestAcc\w+`)
)

// subject is the object of a row on a control plane of its own.
type subject struct {
	*providertest.Driven
	row
	t        *testing.T
	typeName string
	config   object
	// left is how many objects of a record replacements have left behind.
	left int
}

// eachRow tests a behaviour with every resource.
func eachRow(t *testing.T, test func(s *subject), configure ...func(*devserver.Config)) {
	t.Helper()
	t.Parallel()
	for typeName, r := range table {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			r.skipOmitted(t)
			test(newSubject(t, typeName, configure...))
		})
	}
}

func newSubject(t *testing.T, typeName string, configure ...func(*devserver.Config)) *subject {
	t.Helper()
	return subjectOn(t, providertest.NewDev(t, configure...).Compare(), typeName)
}

func subjectOn(t *testing.T, plane *providertest.Plane, typeName string) *subject {
	t.Helper()
	r := table[typeName]
	return &subject{Driven: plane.Drive(t, typeName), row: r, t: t, typeName: typeName, config: r.config(plane)}
}

// skipOmitted skips a column that the row omits.
func (r row) skipOmitted(t *testing.T) {
	t.Helper()
	column, _, _ := strings.Cut(strings.TrimPrefix(t.Name(), "TestAccTable_"), "/")
	if reason := r.omits[column]; reason != "" {
		t.Skip(reason)
	}
}

// needs skips a test of what the resource doesn't have, and says so.
func (s *subject) needs(has bool, reason string) {
	s.t.Helper()
	if !has {
		s.t.Skip(reason)
	}
}

// arguments are those of the resource.
func (s *subject) arguments() []*tfprotov6.SchemaAttribute {
	return settable(s.Plane.RPC().Schema.ResourceSchemas[s.typeName].Block.Attributes)
}

// settable are the attributes that a configuration can set.
func settable(attributes []*tfprotov6.SchemaAttribute) []*tfprotov6.SchemaAttribute {
	return slices.DeleteFunc(slices.Clone(attributes), func(a *tfprotov6.SchemaAttribute) bool { return !a.Required && !a.Optional })
}

// argument is one of them; nil if the resource doesn't have it.
func (s *subject) argument(name string) *tfprotov6.SchemaAttribute {
	for _, a := range s.arguments() {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// complete expects a value of each argument, or the reason why the row has none.
func (s *subject) complete(in string, arguments []*tfprotov6.SchemaAttribute, values object) {
	s.t.Helper()
	for _, a := range settable(arguments) {
		value, has := values[a.Name]
		switch reason := s.apart[in+a.Name]; {
		case has == (reason != "") && (!has || !s.Plane.Dialect().LangSmithAPI): // The further dialect has some of them.
			s.t.Errorf("the row has %s%s: %t, and sets it apart: %q", in, a.Name, has, reason)
		case has && a.NestedType != nil:
			nested, _ := value.(object)
			s.complete(in+a.Name+".", a.NestedType.Attributes, nested)
		}
	}
}

// cannot begins the error of an operation.
func (s *subject) cannot(operation string) string {
	if verb := s.verbs[operation]; verb != "" {
		operation = verb
	}
	return "ERROR: Cannot " + operation + " " + s.label
}

// with is the configuration with other arguments.
func (s *subject) with(more object) object {
	config := maps.Clone(s.config)
	maps.Copy(config, more)
	return config
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

// fill puts arguments, or attributes of the state, into a pattern.
func (s *subject) fill(pattern string) string {
	attributes := s.config
	if s.State.Exists() {
		attributes = s.State.Attributes()
	}
	return placeholder.ReplaceAllStringFunc(pattern, func(name string) string { return fmt.Sprint(attributes[strings.Trim(name, "{}")]) })
}

// call sends a request of the test itself for the subject, which a pattern describes.
func (s *subject) call(pattern string, body, answer any) {
	method, path, _ := strings.Cut(s.fill(pattern), " ")
	s.Plane.Call(method, path, body, answer)
}

// sent returns how many requests match a pattern.
func (s *subject) sent(pattern string) int {
	method, path, _ := strings.Cut(placeholder.ReplaceAllString(pattern, "*"), " ")
	return len(s.Plane.Requests(method, path))
}

// found are the objects that the service has.
func (s *subject) found() (all []object) {
	s.t.Helper()
	var list json.RawMessage
	var query any
	if s.record {
		query = object{"session": []any{s.config["project_id"]}}
	}
	s.call(s.list, query, &list)
	var page struct{ Resources, Data, Runs []object }
	if json.Unmarshal(list, &all) != nil {
		if err := json.Unmarshal(list, &page); err != nil {
			s.t.Fatal(err)
		}
		all = slices.Concat(page.Resources, page.Data, page.Runs)
	}
	var ours []object
	for _, o := range all {
		if o[s.key] == nil || o[s.key] == s.config[s.key] {
			ours = append(ours, o)
		}
	}
	return ours
}

// reads is the request that reads the object.
func (s *subject) reads() string {
	if s.read == "" {
		return s.list
	}
	return s.read
}

// apply plans a configuration after a refresh, and applies it.
func (s *subject) apply(config object) string {
	s.t.Helper()
	planned, told := s.Plan(config)
	if strings.Contains(told, "ERROR: ") {
		return told
	}
	return told + s.Apply(planned)
}

// converges applies a configuration without errors: there is one object, whose state a refresh doesn't change, and nothing remains to be done.
func (s *subject) converges(when string, config object) {
	s.t.Helper()
	planned, told := s.Plan(config)
	if strings.Contains(told, "ERROR: ") {
		s.t.Fatalf("%s: %s", when, told)
	}
	if s.record && strings.HasPrefix(planned.String(), "[delete create]") {
		s.left++
	}
	if told := s.Apply(planned); strings.Contains(told, "ERROR: ") {
		s.t.Fatalf("%s: %s", when, told)
	}
	applied := s.State.Attributes()
	if planned, told := s.Plan(config); !planned.Empty() || len(s.found()) != 1+s.left {
		s.t.Errorf("%s: %d objects, want %d, plan %s %s", when, len(s.found()), 1+s.left, planned, told)
	}
	if diff := cmp.Diff(applied, s.State.Attributes()); diff != "" {
		s.t.Errorf("%s: a refresh changes the state (-applied +refreshed):\n%s", when, diff)
	}
}

// recovers ends all faults.
func (s *subject) recovers() { s.Plane.Call("DELETE", "/dev/faults", nil, nil) }

// contains expects texts, however they are wrapped.
func contains(t *testing.T, told string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(strings.Join(strings.Fields(told), " "), part) {
			t.Errorf("%q isn't in:\n%s", part, told)
		}
	}
}
