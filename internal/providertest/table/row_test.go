package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

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
	// key is the argument, and the member of bodies, that tells objects of the list apart.
	key string
	// config makes what an object refers to, and returns the required arguments.
	config func(p *providertest.Plane) object
	// imports are the forms of import IDs, before which a workspace may stand. unread are attributes that an import can't have, because the
	// service doesn't store or return them.
	imports, unread []string
	// whole are the optional arguments, except those that its own package tests, and display is how a query names the object.
	whole   object
	apart   []string
	display string
	// page is the page of the web UI that has the configuration of the object.
	page string
	// seeded is how many objects every dev server has.
	seeded int
	// filters are the arguments of a query that find the object and no other.
	filters object
	// change is a change in place; nil if every change replaces.
	change object
	// once are the operations that aren't sent again when their request may have arrived, because that could do the work twice.
	once []string
	// refers: the key, or a part of it, is that of another object.
	refers bool
	// record: nothing deletes the objects of the service.
	record bool
}

type object = map[string]any

var table = map[string]row{
	"agentplane_listener": {
		label:  `listener "one & more"`,
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
		label:  `OAuth provider "one"`,
		create: "POST /v2/auth/providers", read: "GET /v2/auth/providers/{provider_id}", update: "PATCH /v2/auth/providers/{provider_id}",
		remove: "DELETE /v2/auth/providers/{provider_id}", list: "GET /v2/auth/providers", key: "provider_id",
		config:  fixed(login("one")),
		change:  object{"name": "Mail"},
		imports: []string{"{provider_id}"}, display: "{name}", filters: object{"name_contains": "R & c", "provider_type": "slack"},
		whole: object{
			"name": "Calendar & Co", "uses_pkce": true, "code_challenge_method": "plain", "provider_type": "slack",
			"token_endpoint_auth_method": "client_secret_basic", "authorization_params": object{"prompt": "consent"},
			"allowed_redirect_uris": []any{"app://back"}, "deletion_protection": false,
		},
		apart: []string{"client_secret", "client_secret_wo", "client_secret_wo_version", "mcp_server_url"}, page: "/ui/oauth",
	},
	"agentplane_model_price": {
		label:  `model price "one & more"`,
		create: "POST /api/v1/model-price-map", update: "PUT /api/v1/model-price-map/{id}", remove: "DELETE /api/v1/model-price-map/{id}",
		list: "GET /api/v1/model-price-map", key: "name",
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
		label: `agent "one"`, once: []string{"create"}, verbs: map[string]string{"create": "connect", "read": "read a connection of", "delete": "disconnect"},
		create: "POST /v2/auth/agents/{agent_id}/connections", remove: "DELETE /v2/auth/agents/{agent_id}/connections/{id}",
		list: "GET /v2/auth/agents/{agent_id}/connections", key: "agent_id",
		config: func(p *providertest.Plane) object {
			return object{"agent_id": "one", "oauth_token_id": loggedIn(p, "calendar")}
		},
		imports: []string{"{agent_id}/{id}"}, display: "{agent_id} at calendar", apart: []string{"provider_id", "provider_account_label"},
	},
	"agentplane_agent_provider_token": {
		label: `agent "one"`, once: []string{"create"}, verbs: map[string]string{"create": "store a token of", "update": "update the token of", "read": "read a connection of", "delete": "disconnect"}, refers: true,
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
	},
	"agentplane_oauth_token": {
		label: `token of OAuth provider "calendar"`, once: []string{"create"}, verbs: map[string]string{"create": "store"}, refers: true,
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
	},
	"agentplane_deployment": {
		label: `deployment "one"`, once: []string{"create", "update"},
		create: "POST /v2/deployments", read: "GET /v2/deployments/{id}", update: "PATCH /v2/deployments/{id}", remove: "DELETE /v2/deployments/{id}",
		list: "GET /v2/deployments", key: "name",
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
		imports: []string{"{id}", "name:{name}"}, display: "{name}", unread: []string{"revision_reasons", "delete_tracing_project"},
	},
	"agentplane_llm_run": {
		label: "the run", verbs: map[string]string{"create": "log"},
		create: "POST /api/v1/runs", list: "POST /api/v1/runs/query", key: "name",
		config: fixed(object{
			"name": "one", "project_name": "chat", "inputs_json": `{"messages":[{"role":"user","content":"?"}]}`, "outputs_json": `{"role":"assistant","content":"!"}`,
		}),
		record: true,
	},
}

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

// subject is the object of a row on a control plane of its own.
type subject struct {
	*providertest.Driven
	row
	t        *testing.T
	typeName string
	config   object
}

// eachRow tests a behaviour with every resource.
func eachRow(t *testing.T, test func(s *subject), configure ...func(*devserver.Config)) {
	t.Helper()
	t.Parallel()
	for typeName, r := range table {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			test(newSubject(t, typeName, r, configure...))
		})
	}
}

func newSubject(t *testing.T, typeName string, r row, configure ...func(*devserver.Config)) *subject {
	t.Helper()
	p := providertest.NewDev(t, configure...)
	return &subject{p.Drive(t, typeName), r, t, typeName, r.config(p)}
}

// cannot begins the error of an operation.
func (s *subject) cannot(operation string) string {
	return "ERROR: Cannot " + cmp.Or(s.verbs[operation], operation) + " " + s.label
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
		var projects []object
		if s.Plane.Call("GET", "/api/v1/sessions?name=chat", nil, &projects); len(projects) == 0 {
			return nil
		}
		query = object{"session": []any{projects[0]["id"]}}
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
func (s *subject) reads() string { return cmp.Or(s.read, s.list) }

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
	if told := s.apply(config); strings.Contains(told, "ERROR: ") {
		s.t.Fatalf("%s: %s", when, told)
	}
	applied := s.State.Attributes()
	if planned, told := s.Plan(config); !planned.Empty() || len(s.found()) != 1 {
		s.t.Errorf("%s: %d objects, plan %s %s", when, len(s.found()), planned, told)
	}
	if diff := gocmp.Diff(applied, s.State.Attributes()); diff != "" {
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
