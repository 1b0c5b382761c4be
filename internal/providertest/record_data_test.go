package providertest_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// word returns a word of the API in the dialect of the running dev server.
func (r *recording) word(neutral, langsmith string) string {
	if r.dialect == "langsmith" {
		return langsmith
	}
	return neutral
}

// textAt returns the text at a path in a JSON value.
func textAt(value any, path ...string) string {
	for _, step := range path {
		switch v := value.(type) {
		case object:
			value = v[step]
		case []any:
			value = v[0]
		}
	}
	found, _ := value.(string)
	return found
}

// each returns the elements of a list, which may be a member of an object.
func each(value any, member string) (all []object) {
	if o, is := value.(object); is {
		value = o[member]
	}
	list, _ := value.([]any)
	for _, element := range list {
		o, _ := element.(object)
		all = append(all, o)
	}
	return all
}

func (r *recording) integrations() string {
	return "/v1/integrations/" + r.word("git_host", "github") + "/"
}

// deployment is the request that creates one.
func (r *recording) deployment(name string, more ...object) object {
	request := object{
		"name": name, "source": r.word("external_container", "external_docker"), "secrets": []any{},
		"source_config":          object{"listener_id": r.listenerOfSeed(), "listener_config": object{"k8s_namespace": "agents"}, "resource_spec": object{}},
		"source_revision_config": object{"image_uri": "registry.example.com/agents/chat:1.0.0"},
	}
	for _, m := range more {
		maps.Copy(request, m)
	}
	return request
}

func (r *recording) listenerOfSeed() string {
	for _, l := range each(r.call("GET", "/v2/listeners?limit=100", nil), "resources") {
		if l["compute_id"] == "dev-cluster" {
			return textAt(l, "id")
		}
	}
	r.t.Fatal("there is no seeded listener")
	return ""
}

// named returns the ID of a deployment.
func (r *recording) named(name string) string {
	return textAt(r.call("GET", "/v2/deployments?name_contains="+name, nil), "resources", "0", "id")
}

// variables makes what the configurations import, and returns their variables.
func (r *recording) variables() object {
	integration := textAt(r.call("GET", r.integrations()+"install", nil), "0", "id")
	r.call("POST", "/v2/deployments", r.deployment("imported"))
	r.call("POST", "/v2/deployments", r.deployment("imported-environment", object{
		"secrets": []any{object{"name": "LOG_LEVEL", "value": "info"}, object{"name": "TOKEN", "value": "made-up token"}},
	}))
	r.call("POST", "/v2/listeners", object{"compute_type": "k8s", "compute_id": "imported", "compute_config": object{"k8s_namespaces": []any{"agents"}}})
	r.call("POST", "/v2/auth/providers", object{
		"provider_id": "imported", "name": "Imported", "client_id": "client", "client_secret": "made-up client secret",
		"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
	})
	token := textAt(r.call("POST", "/v2/auth/tokens/import", object{
		"provider_id": "imported", "access_token": "made-up imported token", "provider_account_label": "imported@example.com",
	}), "token_id")
	connection := textAt(r.call("POST", "/v2/auth/agents/imported/connections", object{"oauth_token_id": token}), "id")
	own := r.call("POST", "/v2/auth/agents/imported/providers/imported/tokens", object{"access_token": "made-up agent token"})
	ownID := textAt(own, "id")
	price := textAt(r.call("POST", "/api/v1/model-price-map", object{
		"name": "imported", "match_pattern": "^imported$", "prompt_cost": "0.000001", "completion_cost": "0.000002",
	}), "id")
	r.logIn("toy-login")
	session := textAt(r.call("POST", "/sessions", object{"name": "imported-runs"}), "id")
	run := id(r, 99)
	r.call("POST", "/runs", object{
		"id": run, "name": "smoke", "run_type": "llm", "session_name": "imported-runs", "tags": []any{"smoke", "apply"},
		"start_time": "2026-01-01T10:00:00Z", "end_time": "2026-01-01T10:00:01.5Z",
		"inputs":  object{"messages": []any{object{"role": "user", "content": "Hi"}}, "model": "example-large"},
		"outputs": object{"role": "assistant", "content": "Hello", "usage_metadata": object{"input_tokens": 20, "output_tokens": 10}},
		"extra": object{"metadata": object{
			"ls_model_name": "example-huge", "ls_provider": "example", "revision": "r1", "attempt": "2",
		}},
		"events": []any{object{"name": "new_token", "time": "2026-01-01T10:00:00.25Z"}},
	})
	return object{
		"listener_id": r.listenerOfSeed(), "integration_id": integration,
		"repo_url": textAt(r.call("GET", r.integrations()+integration+"/repos", nil), "0", "url"), "mcp_server_url": r.mcpServer,
		"imported_oauth_token_id": token, "imported_connection_id": connection, "imported_agent_token_id": ownID,
		"imported_model_price_id": price, "imported_run_project_id": session, "imported_run_id": run,
	}
}

// id returns the UUID of an object in the workspace of the running dev server.
func id(r *recording, n int) string {
	return fmt.Sprintf("%s-0000-7000-8000-%012d", recordedWorkspaces[r.dialect][:8], n)
}

// logIn lets the user of the key log in at the toy login.
func (r *recording) logIn(provider string) {
	address := textAt(r.call("POST", "/v2/auth/authenticate", object{"provider": provider, "scopes": []any{"read"}}), "url")
	response, err := http.PostForm(address, url.Values{"user": {"alice"}, "decision": {"allow"}}) //nolint:noctx,gosec // As a browser does.
	if err != nil {
		r.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		r.t.Fatalf("login: status %d", response.StatusCode)
	}
}

// fillControlPlane makes what no configuration makes.
func (r *recording) fillControlPlane() {
	create := func(name string) (deployment, revision string) {
		made := r.call("POST", "/v2/deployments", r.deployment(name, object{"secrets": []any{object{"name": "TOKEN", "value": "made-up token of " + name}}}))
		made = r.call("GET", "/v2/deployments/"+textAt(made, "id"), nil)
		return textAt(made, "id"), textAt(made, "latest_revision_id")
	}
	deployment, revision := create("redeployed")
	r.call("PATCH", "/v2/deployments/"+deployment, object{"source_revision_config": object{"image_uri": "registry.example.com/agents/chat:1.1.0"}})
	r.call("POST", "/v2/deployments/"+deployment+"/revisions/"+revision+"/redeploy", object{})
	r.call("POST", "/dev/faults", object{"rollout": object{"state": "DEPLOYING", "message": "made-up failure"}})
	failed, _ := create("failed")
	r.call("GET", "/v2/deployments/"+failed, nil)
	// Bob's login is pending, and one of his tokens was deleted.
	bob := func(method, path string, body any) any {
		q := r.asked(method, path, body)
		q.Key = recordedOtherKey
		return r.succeed(q)
	}
	bob("POST", "/v2/auth/authenticate", object{"provider": "toy-login", "scopes": []any{"read"}})
	for _, label := range []string{"kept", "deleted"} {
		token := textAt(bob("POST", "/v2/auth/tokens/import", object{"provider_id": "imported", "access_token": "made-up token", "provider_account_label": label}), "token_id")
		bob("PATCH", "/v2/auth/tokens/"+token+"/metadata", object{"provider_account_label": label, "is_default": true})
		if label == "deleted" {
			bob("DELETE", "/v2/auth/tokens/"+token, nil)
		}
	}
	r.call("POST", "/dev/clock", object{"advance": "90s"})
}

// order returns a part of a dotted order.
func order(at time.Time, id string) string {
	return strings.Replace(at.Format("20060102T150405.000000"), ".", "", 1) + "Z" + id
}

// fillTracing logs runs and what is said about them.
func (r *recording) fillTracing() {
	begun := time.Date(2026, 11, 20, 10, 10, 0, 0, time.UTC)
	at := func(d time.Duration) string { return begun.Add(d).Format(time.RFC3339Nano) }
	run := func(n int, after, took time.Duration, more object) object {
		logged := object{
			"id": id(r, n), "name": fmt.Sprintf("run %d", n), "run_type": "chain", "session_name": "recorded",
			"start_time": at(after), "end_time": at(after + took), "inputs": object{"question": fmt.Sprintf("What is %d?", n)},
		}
		maps.Copy(logged, more)
		return logged
	}
	model := object{"metadata": object{"ls_provider": "example", "ls_model_name": "minimal", "thread_id": "thread 1"}}
	used := object{"messages": []any{object{"role": "assistant", "content": "A needle in a haystack."}}, "usage_metadata": object{
		"input_tokens": 120, "output_tokens": 30, "total_tokens": 150, "input_token_details": object{"cache_read": 20},
	}}
	// A trace in two quarters of an hour, with a failure and a run that has no end.
	root := order(begun, id(r, 1))
	r.call("POST", "/runs/batch", object{"post": []any{
		run(1, 0, 20*time.Minute, object{"trace_id": id(r, 1), "dotted_order": root, "tags": []any{"smoke", "nightly"}, "extra": model, "outputs": object{"answer": 1}}),
		run(2, time.Second, time.Second, object{
			"run_type": "llm", "trace_id": id(r, 1), "parent_run_id": id(r, 1), "dotted_order": root + "." + order(begun.Add(time.Second), id(r, 2)),
			"extra": model, "outputs": used, "events": []any{object{"name": "new_token", "time": at(1300 * time.Millisecond)}},
		}),
		run(3, 18*time.Minute, time.Second, object{
			"run_type": "tool", "trace_id": id(r, 1), "parent_run_id": id(r, 1), "dotted_order": root + "." + order(begun.Add(18*time.Minute), id(r, 3)),
			"error": "TimeoutError: made up",
		}),
		object{
			"id": id(r, 4), "name": "pending", "run_type": "retriever", "session_name": "recorded", "start_time": at(19 * time.Minute), "inputs": object{},
			"trace_id": id(r, 1), "parent_run_id": id(r, 1), "dotted_order": root + "." + order(begun.Add(19*time.Minute), id(r, 4)),
		},
	}})
	// Runs whose parent never arrives, or later.
	r.call("POST", "/runs", run(10, time.Hour, time.Second, object{"parent_run_id": id(r, 90)}))
	r.call("POST", "/runs", run(11, time.Hour, time.Second, object{"parent_run_id": id(r, 12), "run_type": "llm", "extra": model, "outputs": used}))
	r.call("POST", "/runs", run(12, time.Hour, 2*time.Second, nil))
	r.call("POST", "/runs/batch", object{"post": []any{run(13, time.Hour, time.Second, object{
		"trace_id": id(r, 91), "parent_run_id": id(r, 91), "dotted_order": order(begun, id(r, 91)) + "." + order(begun.Add(time.Hour), id(r, 13)),
	})}})
	span := func(n int, parent string) object {
		return object{
			"traceId": "5b8efff798038103d269b633813fc60c", "spanId": fmt.Sprintf("%016x", n), "parentSpanId": parent, "name": fmt.Sprintf("span %d", n),
			"startTimeUnixNano": fmt.Sprint(begun.UnixNano()), "endTimeUnixNano": fmt.Sprint(begun.UnixNano() + 2e9),
			"attributes": []any{object{"key": "gen_ai.request.model", "value": object{"stringValue": "minimal"}}, object{"key": "gen_ai.usage.input_tokens", "value": object{"intValue": 7}}},
		}
	}
	r.call("POST", "/otel/v1/traces", object{"resourceSpans": []any{object{"scopeSpans": []any{object{"spans": []any{
		span(1, ""), span(2, fmt.Sprintf("%016x", 1)), span(3, fmt.Sprintf("%016x", 9)),
	}}}}}})
	// Changes of a run, also of one that arrives later; an attachment.
	r.call("PATCH", "/runs/"+id(r, 12), object{"outputs": object{"answer": "patched"}, "tags": []any{"patched"}})
	r.call("PATCH", "/runs/"+id(r, 14), object{"end_time": at(2*time.Hour + time.Second), "outputs": object{"answer": 14}})
	r.call("POST", "/runs", run(14, 2*time.Hour, 0, nil))
	upload := devservertest.NewUpload(r.t).Add("post", run(15, 3*time.Hour, time.Second, nil)).Attach(id(r, 15), "notes", "text/plain", "made-up notes").
		Request(r.URL)
	upload.Header.Set("X-Api-Key", recordedKey)
	upload.Header.Set("X-Tenant-Id", recordedWorkspaces[r.dialect])
	response, err := http.DefaultClient.Do(upload)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		r.t.Fatalf("upload: status %d", response.StatusCode)
	}
	// Feedback, also on a run that never arrives.
	session := r.session("recorded")
	for n, said := range []object{
		{"run_id": id(r, 1), "key": "correct", "score": 1, "comment": "Yes."},
		{"run_id": id(r, 2), "key": "correct", "score": 0.25, "value": "partly"},
		{"run_id": id(r, 92), "key": "correct", "score": 0},
		{"session_id": session, "key": "overall", "score": 0.5},
	} {
		said["id"] = id(r, 200+n)
		r.call("POST", "/feedback", said)
	}
	r.call("POST", "/feedback-configs", object{"feedback_key": "tone", "feedback_config": object{"type": "continuous", "min": 0, "max": 1}})
	token := r.call("POST", "/feedback/tokens", object{"run_id": id(r, 1), "feedback_key": "thumb", "expires_at": "2027-06-01T00:00:00Z"})
	r.call("GET", "/feedback/tokens/"+textAt(token, "id")+"?score=1", nil)
	r.call("PUT", "/runs/"+id(r, 1)+"/share", object{})
	// A project with settings, and views of a project.
	r.call("POST", "/sessions", object{"name": "configured", "description": "Made up.", "extra": object{"metadata": object{"team": "agents"}}})
	r.call("PATCH", "/sessions/"+r.session("configured"), object{"trace_tier": "longlived"})
	for name, query := range map[string]string{"slow ones": "q=latency%3E2s", "failures & more": "q=error%3Atrue&range=30d"} {
		r.form(r.page(session)+"/views", url.Values{"name": {name}, "query": {query}})
	}
}

// session returns the ID of a tracing project.
func (r *recording) session(name string) string {
	return textAt(r.call("GET", "/sessions?name="+url.QueryEscape(name), nil), "0", "id")
}

// page returns the path of a project's page.
func (r *recording) page(project string) string {
	return "/ui/workspaces/" + recordedWorkspaces[r.dialect] + "/projects/" + project
}

// askControlPlane asks for everything that the control plane has.
func (r *recording) askControlPlane() {
	r.ask("GET", "/v2/deployments?limit=3&offset=2", nil)
	for _, d := range each(r.ask("GET", "/v2/deployments?limit=100", nil), "resources") {
		path := "/v2/deployments/" + textAt(d, "id")
		r.ask("GET", path, nil)
		for _, revision := range each(r.ask("GET", path+"/revisions?limit=100", nil), "resources") {
			r.ask("GET", path+"/revisions/"+textAt(revision, "id"), nil)
			r.ask("GET", path+"/revisions/"+textAt(revision, "id")+"/logs?type=deploy&order=asc", nil)
		}
	}
	for _, l := range each(r.ask("GET", "/v2/listeners?limit=100", nil), "resources") {
		r.ask("GET", "/v2/listeners/"+textAt(l, "id"), nil)
	}
	for _, i := range each(r.ask("GET", r.integrations()+"install", nil), "") {
		r.ask("GET", r.integrations()+textAt(i, "id")+"/repos", nil)
	}
	providers := each(r.ask("GET", "/v2/auth/providers", nil), "providers")
	for _, key := range []string{recordedKey, recordedOtherKey} {
		ask := func(method, path string, body any) {
			q := r.asked(method, path, body)
			q.Key = key
			r.note(q)
		}
		for _, provider := range providers {
			ask("GET", "/v2/auth/providers/"+textAt(provider, "provider_id"), nil)
			ask("GET", "/v2/auth/tokens?provider_id="+textAt(provider, "provider_id"), nil)
			ask("GET", "/v2/auth/tokens/exists?provider_id="+textAt(provider, "provider_id"), nil)
			if provider["provider_id"] == "imported" { // The user has logged in: the answer has the token.
				ask("POST", "/v2/auth/authenticate", object{"provider": "imported", "scopes": []any{}})
			}
		}
		ask("GET", "/v2/auth/token-events", nil)
		for _, agent := range []string{"assistant", "labelled", "imported"} {
			ask("GET", "/v2/auth/agents/"+agent+"/connections", nil)
		}
	}
}

// askTracing asks for everything that the tracing service has.
func (r *recording) askTracing() {
	span := object{"start_time": "2026-01-01T00:00:00Z", "end_time": "2026-12-31T00:00:00Z"}
	within := func(more object) object {
		body := maps.Clone(more)
		maps.Copy(body, span)
		return body
	}
	for _, session := range each(r.ask("GET", "/sessions?limit=100&sort_by=name&include_stats=true", nil), "") {
		project := textAt(session, "id")
		r.ask("GET", "/sessions/"+project+"?include_stats=true", nil)
		r.ask("POST", "/runs/stats", within(object{"session": []any{project}}))
		page := r.ask("POST", "/runs/query", object{"session": []any{project}, "limit": 5})
		if len(each(page, "runs")) == 0 {
			continue
		}
		if name := textAt(session, "name"); name == "recorded" || name == "llm-runs" || strings.HasPrefix(name, "sample-") {
			r.ask("POST", "/sessions/"+project+"/dashboard", object{"start_time": "2026-11-19T00:00:00Z", "end_time": "2026-12-03T00:00:00Z", "stride": object{"days": 7}})
		}
		r.ask("POST", "/runs/stats", within(object{"session": []any{project}, "group_by": object{"attribute": "run_type"}}))
		r.ask("POST", "/runs/query", object{"session": []any{project}, "limit": 100, "select": []any{
			"id", "name", "run_type", "parent_run_id", "trace_id", "dotted_order", "status", "total_tokens", "total_cost", "first_token_time", "thread_id", "tags", "feedback_stats",
		}})
		r.ask("POST", "/runs/group", within(object{"session_id": project, "group_by": "conversation", "limit": 5}))
		r.ask("POST", "/v2/threads/query", object{"project_id": project, "min_start_time": span["start_time"], "max_start_time": span["end_time"], "page_size": 5})
		r.ask("GET", "/feedback?session="+project, nil)
	}
	project := r.session("recorded")
	for _, filter := range []string{
		`eq(status, "error")`, `eq(run_type, "llm")`, `has(tags, "smoke")`, `search("needle")`, `gt(total_tokens, 100)`, `eq(feedback_key, "correct")`,
		`and(eq(metadata_key, "thread_id"), eq(metadata_value, "thread 1"))`, `eq(is_root, true)`, `gt(latency, "1s")`,
	} {
		r.ask("POST", "/runs/query", object{"session": []any{project}, "filter": filter, "select": []any{"id", "name"}})
		r.ask("POST", "/runs/stats", within(object{"session": []any{project}, "filter": filter}))
	}
	for _, n := range []int{1, 2, 3, 4, 10, 11, 12, 13, 14, 15, 99} {
		r.ask("GET", "/runs/"+id(r, n), nil)
		r.ask("GET", fmt.Sprintf("/v2/runs/%s?project_id=%s&start_time=2026-01-01T00:00:00Z", id(r, n), project), nil)
	}
	r.ask("GET", "/v2/traces/"+id(r, 1)+"/runs?project_id="+project, nil)
	r.ask("GET", "/feedback", nil)
	r.ask("GET", "/feedback-configs", nil)
	r.ask("GET", "/feedback/tokens?run_id="+id(r, 1), nil)
	r.ask("GET", "/api/v1/model-price-map?limit=100", nil)
	r.ask("GET", "/runs/"+id(r, 1)+"/share", nil)
	shared := textAt(r.call("GET", "/runs/"+id(r, 1)+"/share", nil), "share_token")
	r.ask("GET", "/public/"+shared+"/run", nil)
	r.ask("POST", "/public/"+shared+"/runs/query", object{})
	views := r.asked("GET", r.page(project), nil)
	views.Contains = []string{">slow ones<", ">failures &amp; more<"}
	var page []byte
	if views.Status, page = r.request(views); views.Status != http.StatusOK {
		r.t.Fatalf("%s: %d %s", views.Path, views.Status, page)
	}
	for _, view := range views.Contains {
		if !strings.Contains(string(page), view) {
			r.t.Fatalf("%s doesn't contain %s:\n%s", views.Path, view, page)
		}
	}
	r.Answers = append(r.Answers, views)
}
