package chaos

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// subject is a configuration of a resource whose operations the matrix runs. Another resource is another value.
type subject struct {
	name     string
	typeName string
	// collection is the path of the list, and creation that of a creation that is also an update; empty where it is the collection. In both,
	// $key stands for an object's name.
	collection, creation string
	// needs are objects that must exist first, by their collections.
	needs map[string][]map[string]any
	// keyed is the attribute and the body's member that names an object. key makes one of a text.
	keyed string
	// imported are the attributes whose values import the object, joined by slashes, and addressed is the one that its path contains.
	imported, addressed string
	// revisions: changes may make revisions, which the provider waits for.
	revisions bool
	// config has the arguments besides the key.
	config func(at site) map[string]any
	// local are arguments that aren't sent, or that the service doesn't report in this form.
	local []string
	// fields are the members of bodies that arguments have other names for, by their paths.
	fields map[string]string
	// variables are maps that are merged into the member secrets.
	variables []string
	// unseen are members that no response contains; the proxy records what is sent.
	unseen  []string
	changes []edit
	// shared: a creation of what exists already returns that, or another object beside it, so that another user's isn't in the way.
	shared bool
	// renewed is the change that an error asks for after another user has changed what can't be read back.
	renewed *edit
	// theirs are the changes that another user makes.
	theirs []foreign
	// onlyListed: nothing but the list of all shows an object, so that a list without it proves that it is gone.
	onlyListed bool
	// seed makes what the objects need, and seedOne what the object of a name needs.
	seed    func(l *lab)
	seedOne func(l *lab, name string)
	// updatesOnly leaves out the operations that another subject of the type has.
	updatesOnly bool
	// record: the objects are records, which nothing changes or deletes. listed reads those of a name, because no list has them.
	record bool
	listed func(l *lab, name string) []map[string]any
}

// edit is a change of a configuration.
type edit struct {
	name string
	// set replaces arguments by their paths; nil removes one.
	set map[string]any
	// revision: the change makes one.
	revision bool
	// replaces: the change destroys the object and creates another.
	replaces bool
	// gone are members of the body that the change removes.
	gone []string
	// swallowed: nothing but a swallowed write is tried, because the other answers have no regard to fields.
	swallowed bool
	// onlyIn is the dialect that has it; empty for all.
	onlyIn string
}

// site is where objects go.
type site struct {
	listenerID, namespace, integrationID string
	otherNamespace                       string
	tokenID, otherToken                  string
	projectID                            string
	dialect                              *api.Dialect
}

var subjects = []subject{
	{
		name: "deployment", typeName: "agentplane_deployment", collection: "/v2/deployments", keyed: "name", imported: "id", addressed: "id",
		revisions: true,
		config: func(at site) map[string]any {
			config := map[string]any{
				"source": "external_container",
				"source_config": map[string]any{
					"listener_id": at.listenerID, "listener_config": map[string]any{"k8s_namespace": at.namespace},
				},
				"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1"},
				"environment":            map[string]any{"LOG_LEVEL": "debug"},
				"secrets":                map[string]any{"TOKEN": "first-token"},
				"secrets_wo":             map[string]any{"PASSWORD": "first-password"},
				"triggers":               map[string]any{"n": "1"},
			}
			if at.dialect.ProjectsBlockNames {
				config["delete_tracing_project"] = true
			}
			return config
		},
		local:     []string{"triggers", "delete_tracing_project", "source_config.listener_config"},
		variables: variableMaps,
		changes: []edit{
			{name: "image", set: map[string]any{"source_revision_config.image_uri": "registry.example.com/agents/chat:2"}, revision: true},
			{name: "secrets", set: map[string]any{"secrets.TOKEN": "second-token"}, revision: true},
			{name: "secrets_wo", set: map[string]any{"secrets_wo.PASSWORD": "second-password"}, revision: true},
			{name: "triggers", set: map[string]any{"triggers.n": "2"}, revision: true},
			{name: "custom_url", set: map[string]any{"source_config.custom_url": "https://chat.example.com"}},
			{name: "display_name", set: map[string]any{"display_name": "Chat"}, onlyIn: api.LangSmith.Name},
			{name: "gateway", set: map[string]any{"route_through_gateway": true}, onlyIn: api.LangSmith.Name},
			{name: "namespace", set: map[string]any{"source_config.listener_config.k8s_namespace": otherNamespace}, replaces: true},
		},
		theirs: []foreign{theirImage, theirSecrets, theirURL},
	},
	{
		name: "deployment with resources", typeName: "agentplane_deployment", collection: "/v2/deployments", keyed: "name", imported: "id", addressed: "id",
		revisions: true, updatesOnly: true,
		config: func(at site) map[string]any {
			config := map[string]any{
				"source": "external_container",
				"source_config": map[string]any{
					"listener_id": at.listenerID, "listener_config": map[string]any{"k8s_namespace": at.namespace},
					"resource_spec": map[string]any{
						"cpu": 1, "service_account_name": "runner", "labels": map[string]any{"team": "chat", "tier": "gold"},
						"image_pull_secrets": []any{map[string]any{"name": "registry"}, map[string]any{"name": "mirror"}},
						"sidecars":           []any{map[string]any{"name": "proxy", "image": "registry.example.com/proxy:1"}},
					},
				},
				"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1"},
				"environment":            map[string]any{"LOG_LEVEL": "debug", "REGION": "east"},
				"secrets":                map[string]any{"TOKEN": "first-token", "KEY": "first-key"},
				"secrets_wo":             map[string]any{"PASSWORD": "first-password", "SALT": "first-salt"},
			}
			if at.dialect == api.LangSmith {
				config["secret_references"] = map[string]any{
					"API_KEY":  map[string]any{"secret_name": "keys", "secret_key": "api"},
					"TEAM_KEY": map[string]any{"secret_name": "keys", "secret_key": "team"},
				}
			}
			if at.dialect.ProjectsBlockNames {
				config["delete_tracing_project"] = true
			}
			return config
		},
		local:     []string{"delete_tracing_project", "source_config.listener_config"},
		variables: variableMaps,
		changes: []edit{
			{name: "cpu", set: map[string]any{"source_config.resource_spec.cpu": 2}, revision: true},
			{
				name: "removed service_account_name", set: map[string]any{"source_config.resource_spec.service_account_name": nil}, revision: true,
				gone: []string{"source_config.resource_spec.service_account_name"},
			},
			revising("memory", "source_config.resource_spec.memory_mb", 4096),
			revising("other label", "source_config.resource_spec.labels.tier", "silver"),
			revising("one label", "source_config.resource_spec.labels.tier", nil), revising("no labels", "source_config.resource_spec.labels", nil),
			revising("annotations", "source_config.resource_spec.annotations", map[string]any{"owner": "chat"}),
			revising("one pull secret", "source_config.resource_spec.image_pull_secrets", []any{map[string]any{"name": "registry"}}),
			revising("no pull secrets", "source_config.resource_spec.image_pull_secrets", nil),
			revising("other sidecar", "source_config.resource_spec.sidecars",
				[]any{map[string]any{"name": "proxy", "image": "registry.example.com/proxy:2"}}),
			revising("no sidecars", "source_config.resource_spec.sidecars", nil),
			revising("environment", "environment.LOG_LEVEL", "info"), revising("environment.one", "environment.REGION", nil),
			revising("environment.more", "environment.ZONE", "a"), revising("environment.none", "environment", nil),
			revising("secrets", "secrets.TOKEN", "second-token"), revising("secrets.one", "secrets.KEY", nil),
			revising("secrets.more", "secrets.SEED", "first-seed"), revising("secrets.none", "secrets", nil),
			revising("secrets_wo", "secrets_wo.PASSWORD", "second-password"), revising("secrets_wo.one", "secrets_wo.SALT", nil),
			revising("secrets_wo.more", "secrets_wo.PEPPER", "first-pepper"), revising("secrets_wo.none", "secrets_wo", nil),
			onlyIn(api.LangSmith, revising("secret_references", "secret_references.API_KEY.secret_key", "other")),
			onlyIn(api.LangSmith, revising("secret_references.one", "secret_references.TEAM_KEY", nil)),
			onlyIn(api.LangSmith, revising("secret_references.none", "secret_references", map[string]any{})),
		},
		theirs: []foreign{theirImage, theirResources},
	},
	{
		name: "deployment of a repository", typeName: "agentplane_deployment", collection: "/v2/deployments", keyed: "name", imported: "id", addressed: "id",
		revisions: true, updatesOnly: true,
		config: func(at site) map[string]any {
			config := map[string]any{
				"source": "git_host",
				"source_config": map[string]any{
					"integration_id": at.integrationID, "repo_url": "https://git.example.com/example-org/chat", "build_on_push": false,
				},
				"source_revision_config": map[string]any{"repo_ref": "main", "graph_config_path": "graph.json"},
			}
			if at.dialect == api.Neutral { // LangSmith doesn't show them.
				repository, _ := config["source_config"].(map[string]any)
				repository["install_command"], repository["build_command"] = "npm ci", "npm run build"
			}
			if at.dialect.ProjectsBlockNames {
				config["delete_tracing_project"] = true
			}
			return config
		},
		local: []string{"delete_tracing_project", "source_revision_config.repo_ref"},
		changes: []edit{
			{name: "build_on_push", set: map[string]any{"source_config.build_on_push": true}},
			{name: "repo_ref", set: map[string]any{"source_revision_config.repo_ref": "release"}, revision: true},
			revising("graph_config_path", "source_revision_config.graph_config_path", "other.json"),
			onlyIn(api.Neutral, swallowing("install_command", "source_config.install_command", "npm install")),
			onlyIn(api.Neutral, swallowing("build_command", "source_config.build_command", "npm run other")),
			onlyIn(api.LangSmith, swallowing("display_name", "display_name", "Chat")),
			{name: "compute_tier", set: map[string]any{"compute_tier": "DEDICATED_M"}, onlyIn: api.LangSmith.Name},
		},
		theirs: []foreign{theirRef, theirPushes},
	},
	{
		name: "listener", typeName: "agentplane_listener", collection: "/v2/listeners", keyed: "compute_id", imported: "id", addressed: "id",
		config: func(site) map[string]any {
			return map[string]any{"compute_config": map[string]any{"k8s_namespaces": []any{"team-a"}}, "version": "v1"}
		},
		changes: []edit{
			{name: "namespaces", set: map[string]any{"compute_config.k8s_namespaces": []any{"team-a", "team-b"}}},
			swallowing("version", "version", "v2"), swallowing("no namespaces", "compute_config.k8s_namespaces", []any{}),
			swallowing("other namespaces", "compute_config.k8s_namespaces", []any{"team-b"}),
		},
		theirs: []foreign{
			changing("compute_config", map[string]any{"compute_config": map[string]any{"k8s_namespaces": []any{"theirs"}}}),
			changing("version", map[string]any{"version": "theirs"}),
		},
	},
	{
		name: "OAuth provider", typeName: "agentplane_oauth_provider", collection: "/v2/auth/providers", keyed: "provider_id", imported: "provider_id",
		addressed: "provider_id",
		config: func(site) map[string]any {
			return map[string]any{
				"name": "Mail", "client_id": "mail", "client_secret": "first-secret",
				"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
			}
		},
		unseen: []string{"client_secret"},
		changes: []edit{
			{name: "client_id", set: map[string]any{"client_id": "mail-2"}},
			{name: "client_secret", set: map[string]any{"client_secret": "second-secret"}},
			swallowing("name", "name", "Post"), swallowing("auth_url", "auth_url", "https://login.example.com/authorize2"),
			swallowing("token_url", "token_url", "https://login.example.com/token2"), swallowing("uses_pkce", "uses_pkce", true),
			swallowing("code_challenge_method", "code_challenge_method", "plain"),
			swallowing("params", "authorization_params", map[string]any{"prompt": "consent"}),
			swallowing("redirects", "allowed_redirect_uris", []any{"https://chat.example.com/done"}),
		},
		theirs: []foreign{
			changing("name", map[string]any{"name": "Theirs"}),
			{argument: "client_id", body: func(is truth) map[string]any {
				return map[string]any{"client_id": "theirs", "client_secret": is.body["client_secret"]} // The service demands both.
			}},
		},
	},
	{
		name: "model price", typeName: "agentplane_model_price", collection: "/api/v1/model-price-map", keyed: "name", imported: "id", addressed: "id",
		onlyListed: true,
		config: func(site) map[string]any {
			return map[string]any{"match_pattern": "^chat$", "prompt_cost": "0.001", "completion_cost": "0.002"}
		},
		changes: []edit{
			{name: "prompt_cost", set: map[string]any{"prompt_cost": "0.003"}},
			swallowing("model_provider", "model_provider", "example"), swallowing("match_path", "match_path", []any{"model"}),
			swallowing("start_time", "start_time", "2026-06-01T00:00:00Z"), swallowing("threshold", "prompt_token_threshold", 1000),
			swallowing("details", "prompt_cost_details", map[string]any{"cache_read": "0.0001"}),
		},
		fields: map[string]string{"model_provider": "provider"},
		local:  []string{"start_time"}, // The service has a form of its own.
		theirs: []foreign{
			{argument: "prompt_cost", method: http.MethodPut, body: func(is truth) map[string]any { return priced(is, "prompt_cost") }},
			{argument: "completion_cost", method: http.MethodPut, body: func(is truth) map[string]any { return priced(is, "completion_cost") }},
		},
	},
	{
		name: "OAuth provider with options", typeName: "agentplane_oauth_provider", collection: "/v2/auth/providers", keyed: "provider_id",
		imported: "provider_id", addressed: "provider_id", updatesOnly: true,
		config: func(site) map[string]any {
			return map[string]any{
				"name": "Mail", "client_id": "mail", "client_secret": "first-secret", "uses_pkce": true, "code_challenge_method": "plain",
				"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
				"authorization_params":  map[string]any{"prompt": "consent", "access_type": "offline"},
				"allowed_redirect_uris": []any{"https://chat.example.com/done", "https://chat.example.com/also"},
			}
		},
		unseen: []string{"client_secret"},
		changes: []edit{
			swallowing("uses_pkce", "uses_pkce", false), swallowing("code_challenge_method", "code_challenge_method", "S256"),
			swallowing("other param", "authorization_params.prompt", "none"), swallowing("one param", "authorization_params.prompt", nil),
			swallowing("no params", "authorization_params", nil), swallowing("no redirects", "allowed_redirect_uris", nil),
			swallowing("one redirect", "allowed_redirect_uris", []any{"https://chat.example.com/done"}),
		},
	},
	{
		name: "model price with options", typeName: "agentplane_model_price", collection: "/api/v1/model-price-map", keyed: "name", imported: "id",
		addressed: "id", onlyListed: true, updatesOnly: true,
		config: func(site) map[string]any {
			return map[string]any{
				"match_pattern": "^chat$", "prompt_cost": "0.001", "completion_cost": "0.002", "model_provider": "example", "match_path": []any{"model"},
				"start_time": "2026-06-01T00:00:00Z", "prompt_token_threshold": 1000,
				"prompt_cost_details":     map[string]any{"cache_read": "0.0001", "audio": "0.0003"},
				"completion_cost_details": map[string]any{"audio": "0.0002"},
			}
		},
		fields: map[string]string{"model_provider": "provider"},
		local:  []string{"start_time"},
		changes: []edit{
			swallowing("match_pattern", "match_pattern", "^chat-2$"), swallowing("completion_cost", "completion_cost", "0.004"),
			swallowing("model_provider", "model_provider", "other"), swallowing("no model_provider", "model_provider", nil),
			swallowing("match_path", "match_path", []any{"model_name"}),
			swallowing("start_time", "start_time", "2026-07-01T00:00:00Z"), swallowing("no start_time", "start_time", nil),
			swallowing("threshold", "prompt_token_threshold", 2000), swallowing("no threshold", "prompt_token_threshold", nil),
			swallowing("other detail", "prompt_cost_details.audio", "0.0004"), swallowing("one detail", "prompt_cost_details.audio", nil),
			swallowing("no details", "prompt_cost_details", nil), swallowing("no completion details", "completion_cost_details", nil),
		},
	},
	{
		name: "agent token", typeName: "agentplane_agent_provider_token", shared: true, keyed: "agent_id", imported: "agent_id/id", addressed: "id",
		collection: "/v2/auth/agents/$key/connections", creation: "/v2/auth/agents/$key/providers/mail/tokens",
		needs: map[string][]map[string]any{"/v2/auth/providers": {loginAt("mail"), loginAt("chat")}},
		config: func(site) map[string]any {
			return map[string]any{
				"provider_id": "mail", "access_token_wo": "first-token", "tokens_wo_version": 1, "expires_in_seconds": 86400,
				"scopes": []any{"read"}, "provider_account_label": "bot",
			}
		},
		local:  []string{"tokens_wo_version", "expires_in_seconds"},
		fields: map[string]string{"access_token_wo": "access_token"},
		unseen: []string{"access_token"},
		changes: []edit{
			{name: "token", set: map[string]any{"access_token_wo": "second-token", "tokens_wo_version": 2}},
			{name: "scopes", set: map[string]any{"access_token_wo": "second-token", "tokens_wo_version": 2, "scopes": []any{"read", "write"}}},
			{name: "provider", set: map[string]any{"provider_id": "chat"}, replaces: true},
			renewing("label", "provider_account_label", "robot"), renewing("no label", "provider_account_label", nil),
			renewing("other scopes", "scopes", []any{"write"}), renewing("lifetime", "expires_in_seconds", 172800),
			renewing("no lifetime", "expires_in_seconds", nil),
		},
		renewed: &edit{set: map[string]any{"access_token_wo": "third-token", "tokens_wo_version": 3}},
		theirs: []foreign{
			tokenOfAgent("scopes", map[string]any{"access_token": "theirs", "scopes": []any{"theirs"}, "provider_account_label": "bot"}),
			tokenOfAgent("provider_account_label", map[string]any{"access_token": "theirs", "scopes": []any{"read"}, "provider_account_label": "theirs"}),
		},
	},
	{
		name: "connection", typeName: "agentplane_agent_connection", collection: connections, keyed: "agent_id", imported: "agent_id/id", addressed: "id",
		onlyListed: true, shared: true, seed: logIn,
		config:  func(at site) map[string]any { return map[string]any{"oauth_token_id": at.tokenID} },
		changes: []edit{{name: "token", set: map[string]any{"oauth_token_id": otherToken}, replaces: true}},
	},
	{
		name: "connection by provider", typeName: "agentplane_agent_connection", collection: connections, keyed: "agent_id", imported: "agent_id/id", addressed: "id",
		onlyListed: true, shared: true, seed: logIn,
		config:  func(site) map[string]any { return map[string]any{"provider_id": "calendar"} },
		changes: []edit{{name: "provider", set: map[string]any{"provider_id": "mail"}, replaces: true}},
	},
	{
		name: "token of a user", typeName: "agentplane_oauth_token", collection: "/v2/auth/tokens", creation: "/v2/auth/tokens/import", keyed: "provider_id",
		imported: "id", addressed: "id", shared: true,
		seedOne: func(l *lab, name string) { l.post("/v2/auth/providers", loginAt(name)) },
		config: func(site) map[string]any {
			return map[string]any{"access_token_wo": "first-token", "tokens_wo_version": 1, "scopes": []any{"read"}}
		},
		local:  []string{"tokens_wo_version"},
		fields: map[string]string{"access_token_wo": "access_token"},
		unseen: []string{"access_token"},
		changes: []edit{
			{name: "label", set: map[string]any{"provider_account_label": "work"}},
			{name: "token", set: map[string]any{"access_token_wo": "second-token", "tokens_wo_version": 2}, replaces: true},
		},
		theirs: []foreign{labelOfToken},
	},
	{
		name: "run", typeName: "agentplane_llm_run", collection: "/api/v2/runs", creation: "/api/v1/runs", keyed: "name",
		imported: "session_id/id", addressed: "id", record: true,
		seed: func(l *lab) {
			l.at.projectID = text(l.post("/api/v1/sessions", map[string]any{"name": "chat"}), "id")
		},
		listed: func(l *lab, name string) (all []map[string]any) {
			page := l.post("/api/v1/runs/query", map[string]any{"session": []string{l.at.projectID}, "filter": `eq(name, "` + name + `")`})
			runs, _ := page["runs"].([]any)
			for _, run := range runs {
				body, _ := run.(map[string]any)
				all = append(all, body)
			}
			return all
		},
		config: func(at site) map[string]any {
			return map[string]any{
				"project_id": at.projectID, "inputs_json": `{"messages":[{"role":"user","content":"?"}]}`,
				"outputs_json": `{"role":"assistant","content":"!","usage_metadata":{"input_tokens":1,"output_tokens":2}}`,
			}
		},
		local: []string{"project_id", "inputs_json", "outputs_json"},
	},
}

// swallowing is a change of one field, whose write is swallowed. A member that is removed must be gone.
func swallowing(name, path string, value any) edit {
	e := edit{name: name, set: map[string]any{path: value}, swallowed: true}
	if value == nil && !slices.Contains(variableMaps, strings.Split(path, ".")[0]) { // Variables are compared as a whole.
		e.gone = []string{path}
	}
	return e
}

// revising is swallowing for a change that makes a revision.
func revising(name, path string, value any) edit {
	e := swallowing(name, path, value)
	e.revision = true
	return e
}

// onlyIn is a change that only one dialect has, or shows.
func onlyIn(dialect *api.Dialect, e edit) edit {
	e.onlyIn = dialect.Name
	return e
}

// renewing is swallowing for a token, which is stored with all its fields.
func renewing(name, path string, value any) edit {
	e := swallowing(name, path, value)
	e.set["tokens_wo_version"] = 2
	return e
}

// loginAt is an OAuth provider.
func loginAt(providerID string) map[string]any {
	return map[string]any{
		"provider_id": providerID, "name": providerID, "client_id": "agents",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	}
}

// listOf and createAt are the paths for the object of a name.
func (s subject) listOf(name string) string { return strings.ReplaceAll(s.collection, "$key", name) }

func (s subject) createAt(name string) string {
	return strings.ReplaceAll(cmp.Or(s.creation, s.collection), "$key", name)
}

// byKey reports whether objects are listed by their key.
func (s subject) byKey() bool { return strings.Contains(s.collection, "$key") }

// byName reports whether what is created again under a name is the same object to everybody.
func (s subject) byName() bool { return s.addressed == s.keyed }

// field is the member of bodies for an argument.
func (s subject) field(path string) string { return cmp.Or(s.fields[path], path) }

// connections are listed by agent.
const connections = "/v2/auth/agents/$key/connections"

// logIn registers two OAuth providers, and logs the user in at each.
func logIn(l *lab) {
	for id, token := range map[string]*string{"calendar": &l.at.tokenID, "mail": &l.at.otherToken} {
		l.post("/v2/auth/providers", loginAt(id))
		*token = text(l.post("/v2/auth/tokens/import", map[string]any{"provider_id": id, "access_token": "theirs"}), "token_id")
	}
}

// otherNamespace stands for the listener's second namespace, and otherToken for the user's second token.
const (
	otherNamespace = "$other_namespace"
	otherToken     = "$other_token"
)

// changed returns a configuration with an edit; the configuration stays as it is.
func changed(config map[string]any, e edit, at site) map[string]any {
	config = cloned(config)
	for path, value := range e.set {
		switch value {
		case otherNamespace:
			value = at.otherNamespace
		case otherToken:
			value = at.otherToken
		}
		parts := strings.Split(path, ".")
		into := config
		for _, part := range parts[:len(parts)-1] {
			next, ok := into[part].(map[string]any)
			if !ok {
				next = map[string]any{}
				into[part] = next
			}
			into = next
		}
		if last := parts[len(parts)-1]; value == nil {
			delete(into, last)
		} else {
			into[last] = value
		}
	}
	return config
}

func cloned(config map[string]any) map[string]any {
	config = maps.Clone(config)
	for name, value := range config {
		if nested, ok := value.(map[string]any); ok {
			config[name] = cloned(nested)
		}
	}
	return config
}

// wanted are the settings of a configuration that the service must have.
func (s subject) wanted(config map[string]any) settings {
	all := settings{}
	s.collect(all, "", config)
	return all
}

func (s subject) collect(all settings, prefix string, config map[string]any) {
	for name, value := range config {
		path := prefix + name
		nested, ok := value.(map[string]any)
		switch {
		case slices.Contains(s.local, path):
		case slices.Contains(s.variables, path):
			for key, v := range nested {
				all[variable+key] = fmt.Sprint(v)
			}
		case ok:
			s.collect(all, path+".", nested)
		default:
			all[path] = encoded(canonical(value))
		}
	}
}

// held are the same settings of a body.
func (s subject) held(want settings, body map[string]any) settings {
	all := settings{}
	for path := range want {
		if value := member(body, s.field(path)); value != nil && !strings.HasPrefix(path, variable) {
			all[path] = encoded(canonical(value))
		}
	}
	list, _ := body["secrets"].([]any)
	for _, each := range list {
		if secret, ok := each.(map[string]any); ok && len(s.variables) > 0 {
			all[variable+text(secret, "name")] = text(secret, "value")
		}
	}
	references, _ := body["secret_references"].([]any)
	for _, each := range references {
		if reference, ok := each.(map[string]any); ok {
			for _, name := range []string{"secret_name", "secret_key"} {
				all["secret_references."+text(reference, "name")+"."+name] = encoded(reference[name])
			}
		}
	}
	return all
}

// member is what a body has at a path.
func member(body map[string]any, path string) any {
	var value any = body
	for part := range strings.SplitSeq(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[part]
	}
	return value
}
