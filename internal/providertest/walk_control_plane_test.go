package providertest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// TestControlPlaneContract holds the dev server's control plane to the document: every operation, property and parameter of it.
func TestControlPlaneContract(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/langsmith.openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document object
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	p := newControlPlane(t, document)
	for does := range documented(t) {
		wanted := !strings.Contains(does, " /v2/auth/")
		if walked := slices.ContainsFunc(p.walks, func(w walk) bool { return w.does == does }); walked != wanted {
			t.Errorf("%s: walked: %t", does, walked)
		}
	}
	for _, problem := range p.run() {
		t.Error(problem)
	}
	t.Logf("%d values of %d properties and %d parameters in %d operations", p.values, p.properties, p.parameters, len(p.walks))
	if p.values < 3626 || p.properties < 481 || p.parameters < 78 {
		t.Error("the walk has become shorter")
	}
}

// controlPlane is a walk of the control plane, and what it works on.
type controlPlane struct {
	walker
	clock *devserver.ManualClock
	// IDs that requests refer to.
	listener, integration, forge, template, image, uploaded, failed, failedRevision, external, git string
	url                                                                                            string // Of a deployment that is served.
	session                                                                                        string // Of a picker.
	// alone has one revision, which failed, and failed a newer one.
	alone, aloneRevision string
	begun                time.Time // The rollout of alone.
	names                int
}

const (
	repository  = "https://git.example.com/example-org/chat"
	other       = "https://git.example.com/example-org/research-agent"
	nobody      = "00000000-0000-4000-8000-000000000001"
	deployments = "/v2/deployments"
	one         = "/v2/deployments/{deployment_id}"
	revisions   = one + "/revisions"
	revision    = revisions + "/{revision_id}"
	project     = "/v1/projects/{project_id}"

	installations = "/v2/integrations/github/installations"
	forge         = "/v2/integrations/forge-github"
)

func newControlPlane(t *testing.T, document object) *controlPlane {
	t.Helper()
	clock := devserver.NewManualClock(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	server, err := devserver.New(devserver.Config{Dialect: api.LangSmith, DevAPI: true, Rollout: 20 * time.Minute, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	seeded, err := server.Seed(t.Context(), devserver.DefaultWorkspaceID)
	if err != nil {
		t.Fatal(err)
	}
	p := &controlPlane{clock: clock, listener: seeded.ListenerID, integration: seeded.IntegrationID}
	p.t, p.handler, p.document = t, server, document
	p.must(http.MethodPost, "/dev/integrations", object{"name": "forge-org", "forge": true})
	p.must(http.MethodPost, "/dev/integrations", object{"name": "second-forge", "forge": true})
	p.must(http.MethodPost, "/dev/integrations", object{"name": "second-org"})
	if err := server.Arm(devserver.Fault{Times: 2, Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Message: "no memory"}}); err != nil {
		t.Fatal(err)
	}
	p.must(http.MethodPost, "/dev/push", object{"repo_url": repository, "ref": "release"})
	// The first two rollouts fail, so that a log has lines of two levels; the others succeed or haven't begun.
	first := p.must(http.MethodPost, deployments, p.gitBody())
	p.failed, p.failedRevision = p.text(first, "id"), p.text(first, "latest_revision_id")
	first = p.must(http.MethodPost, deployments, p.gitBody())
	p.alone, p.aloneRevision, p.begun = p.text(first, "id"), p.text(first, "latest_revision_id"), p.clock.Now()
	p.clock.Advance(time.Hour)
	p.image, p.uploaded = p.made(p.imageBody()), p.made(p.sourceBody())
	p.external, p.git = p.made(p.externalBody()), p.made(p.gitBody())
	p.template = p.made(p.templateBody())
	p.clock.Advance(time.Hour)
	p.url = p.text(p.must(http.MethodGet, deployments+"/"+p.git, nil), "url")
	status, answer, text := p.send(http.MethodGet, probe{path: "/v1/integrations/forge/github/install"})
	var forges []struct{ ID string }
	if err := json.Unmarshal([]byte(text), &forges); err != nil || len(forges) != 2 {
		t.Fatalf("%d %v %s", status, answer, text)
	}
	p.forge = forges[0].ID
	p.session = p.follow("session_id", object{})
	p.must(http.MethodPost, deployments+"/"+p.failed+"/revisions", object{"source_revision_config": object{"repo_ref": "main"}})
	p.must(http.MethodPost, "/v2/listeners", object{"compute_type": "k8s", "compute_id": "other", "compute_config": object{}})
	p.walks = p.all()
	p.tables()
	return p
}

func (p *controlPlane) must(method, path string, body object) object {
	p.t.Helper()
	status, answer, text := p.send(method, probe{path: path, body: body})
	if status >= 300 {
		p.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return answer
}

// follow follows a link to install the forge app, and returns a parameter of the page to which that leads.
func (p *controlPlane) follow(parameter string, body object) string {
	p.t.Helper()
	link := p.text(p.must(http.MethodPost, forge+"/installation-link", body), "install_url")
	recorder := httptest.NewRecorder()
	p.handler.ServeHTTP(recorder, httptest.NewRequestWithContext(p.t.Context(), http.MethodGet, link, http.NoBody))
	page, err := url.Parse(recorder.Header().Get("Location"))
	if err != nil || page.Query().Get(parameter) == "" {
		p.t.Fatalf("the link leads to %s, error %v; want the parameter %s", page, err, parameter)
	}
	return page.Query().Get(parameter)
}

func (p *controlPlane) text(answer object, name string) string {
	p.t.Helper()
	text, is := answer[name].(string)
	if !is {
		p.t.Fatalf("%s of %v is no text", name, answer)
	}
	return text
}

func (p *controlPlane) made(body object) string {
	p.t.Helper()
	return p.text(p.must(http.MethodPost, deployments, body), "id")
}

func (p *controlPlane) name() string {
	p.names++
	p.clock.Advance(time.Hour) // Rollouts end, which keeps requests fast.
	return fmt.Sprintf("d%d", p.names)
}

func (p *controlPlane) gitBody() object {
	return object{
		"name": p.name(), "source": "github", "secrets": []any{object{"name": "A", "value": "b"}},
		"source_config": object{
			"integration_id": p.integration, "repo_url": repository, "deployment_type": "dev", "build_on_push": false,
		},
		"source_revision_config": object{"repo_ref": "main", "langgraph_config_path": "langgraph.json"},
		"agent":                  object{"agent_id": "assistant", "environment": "staging"},
	}
}

func (p *controlPlane) externalBody() object {
	container := func(name string) object {
		return object{
			"name": name, "image": "example/tool:1", "command": []any{"a"}, "args": []any{"b"},
			"env":     []any{object{"name": "C", "value": "d"}},
			"envFrom": []any{object{"configMapRef": object{"name": "e"}}}, "resources": object{"limits": object{"cpu": "1"}, "requests": object{"cpu": "1"}},
			"volumeMounts": []any{object{"name": "data", "mountPath": "/data"}}, "securityContext": object{"runAsUser": 1},
		}
	}
	spec := object{
		"labels": object{"a": "b"}, "annotations": object{"c": "d"}, "image_pull_secrets": []any{object{"name": "pull"}},
		"volumes":         []any{object{"name": "spare", "emptyDir": object{}}, object{"name": "data", "emptyDir": object{}}},
		"volume_mounts":   []any{object{"name": "data", "mountPath": "/data"}},
		"init_containers": []any{container("init")}, "sidecars": []any{container("side")},
	}
	for _, group := range []string{"", "queue_", "redis_", "core_", "db_", "orchestrator_", "executor_"} {
		// Between these, every value that the document allows is in order.
		spec[group+"cpu"], spec[group+"cpu_limit"] = 0.1, 16.0
		spec[group+"memory_mb"], spec[group+"memory_limit_mb"] = 1.0, 1000.0
	}
	for _, group := range []string{"", "queue_", "orchestrator_"} {
		spec[group+"min_scale"], spec[group+"max_scale"] = 1.0, 9.0
	}
	body := p.bareBody()
	body["source_config"].(object)["resource_spec"] = spec
	body["secret_references"] = []any{object{"name": "B", "secret_name": "s", "secret_key": "k"}}
	return body
}

// bareBody is a deployment of an image on which nothing else depends.
func (p *controlPlane) bareBody() object {
	return object{
		"name": p.name(), "source": "external_docker", "secrets": []any{object{"name": "A", "value": "b"}},
		"source_config": object{
			"listener_id": p.listener, "listener_config": object{"k8s_namespace": "agents"}, "resource_spec": object{},
		},
		"source_revision_config": object{"image_uri": "example/agent:1"},
	}
}

func (p *controlPlane) imageBody() object {
	return object{
		"name": p.name(), "source": "internal_docker", "secrets": []any{}, "source_config": object{"deployment_type": "dev_free"},
		"source_revision_config": object{"image_uri": "example/agent:1"},
	}
}

func (p *controlPlane) sourceBody() object {
	return object{
		"name": p.name(), "source": "internal_source", "secrets": []any{}, "source_config": object{"deployment_type": "dev"},
		"source_revision_config": object{},
	}
}

func (p *controlPlane) templateBody() object {
	return object{
		"name": p.name(), "source": "internal_template", "secrets": []any{},
		"source_config": object{"deployment_type": "dev", "template_id": "chat"}, "source_revision_config": object{},
	}
}

// all are the operations of the control plane.
func (p *controlPlane) all() []walk {
	at := func(path string, ids ...string) string {
		for _, id := range ids {
			before, rest, _ := strings.Cut(path, "{")
			_, after, _ := strings.Cut(rest, "}")
			path = before + id + after
		}
		return path
	}
	plain := func(does string, ids ...string) walk {
		_, path, _ := strings.Cut(does, " ")
		return walk{does: does, bases: []base{func() probe { return probe{path: at(path, ids...)} }}}
	}
	read := func(path string) func(probe, object) string {
		return func(asked probe, answer object) string {
			id, is := answer["id"].(string)
			if _, revised := answer["source_revision_config"]; !is || revised && answer["source_config"] == nil {
				id = strings.Split(asked.path, "/")[3]
			}
			return path + "/" + id
		}
	}
	sending := func(does string, read func(probe, object) string, bodies ...func() (ids []string, body object)) walk {
		_, path, _ := strings.Cut(does, " ")
		w := walk{does: does, read: read}
		for _, body := range bodies {
			w.bases = append(w.bases, func() probe {
				ids, body := body()
				return probe{path: at(path, ids...), body: body}
			})
		}
		return w
	}
	// changes are bodies that change the deployment of an ID: those of a creation without what can't change.
	change := func(id *string, of func() object) func() ([]string, object) {
		return func() ([]string, object) {
			body := of()
			delete(body, "name")
			delete(body, "source")
			body["tracked_packages"] = []any{"langgraph:1.0.0"}
			return []string{*id}, body
		}
	}
	create := func(of func() object) func() ([]string, object) {
		return func() ([]string, object) { return nil, of() }
	}
	changes := []func() ([]string, object){
		change(&p.external, p.externalBody), change(&p.external, p.bareBody), change(&p.git, p.gitBody), change(&p.image, p.imageBody),
		change(&p.uploaded, p.sourceBody), change(&p.template, p.templateBody),
	}
	walks := []walk{
		plain("GET /v1/integrations/github/install"),
		plain("GET /v1/integrations/github/{integration_id}/repos", p.integration),
		plain("GET /v1/integrations/forge/github/install"),
		plain("GET /v1/integrations/forge/github/{integration_id}/repos", p.forge),
		plain("GET " + installations),
		plain("GET "+installations+"/{integration_id}/repositories", p.integration),
		plain("POST /v2/integrations/github/installation-link"),
		plain("GET " + forge + "/installations"),
		{does: "POST " + forge + "/installation-link", bases: []base{func() probe {
			return probe{path: forge + "/installation-link", body: object{"return_to": nil}}
		}}},
		plain("GET "+forge+"/picker-sessions/{session_id}", p.session),
		sending("POST "+forge+"/picker-sessions/{session_id}/selection", nil, func() ([]string, object) {
			return []string{p.session}, object{"action": "ATTACH", "installation_id": 1000000.0}
		}),
		plain("GET " + deployments),
		sending("POST "+deployments, read(deployments), create(p.externalBody), create(p.bareBody), create(p.gitBody), create(p.imageBody),
			create(p.sourceBody), create(p.templateBody)),
		{does: "DELETE " + deployments, bases: []base{func() probe {
			return probe{path: deployments, query: url.Values{"deployment_ids": {p.made(p.imageBody())}}}
		}}},
		plain("GET " + deployments + "/free-count"),
		plain("GET "+one, p.git),
		sending("PATCH "+one, read(deployments), changes...),
		{does: "DELETE " + one, bases: []base{func() probe { return probe{path: deployments + "/" + p.made(p.imageBody())} }}},
		sending("PATCH "+one+"/deployment-tier", read(deployments), func() ([]string, object) {
			return []string{p.git}, object{"deployment_tier": "DEDICATED_S"}
		}),
		sending("PATCH "+one+"/resource-tiers", read(deployments), func() ([]string, object) {
			return []string{p.git}, object{"compute_tier": "DEDICATED_S", "database_tier": "DEDICATED_S"}
		}),
		plain("POST "+one+"/push-token", p.image),
		plain("POST "+one+"/upload-url", p.uploaded),
		plain("GET "+revisions, p.failed),
		sending("POST "+revisions, read(deployments), changes...),
		plain("GET "+revision, p.failed, p.failedRevision),
		plain("POST "+revision+"/redeploy", p.failed, p.failedRevision),
		plain("POST "+revision+"/interruption", p.failed, p.failedRevision),
		{does: "GET " + revision + "/logs", bases: []base{func() probe {
			return probe{path: at(revision+"/logs", p.alone, p.aloneRevision), query: url.Values{"type": {"deploy"}}}
		}}},
		{does: "GET /v2/deployment-logs", bases: []base{func() probe {
			return probe{path: "/v2/deployment-logs", query: url.Values{"deployment_id": {p.alone}}}
		}}},
		plain("GET /v2/listeners"),
		sending("POST /v2/listeners", read("/v2/listeners"), func() ([]string, object) {
			return nil, object{"compute_type": "k8s", "compute_id": p.name(), "compute_config": object{"k8s_namespaces": []any{"a"}}}
		}),
		plain("GET /v2/listeners/{listener_id}", p.listener),
		sending("PATCH /v2/listeners/{listener_id}", read("/v2/listeners"), func() ([]string, object) {
			return []string{p.listener}, object{"compute_config": object{"k8s_namespaces": []any{"agents"}}}
		}),
		plain("DELETE /v2/listeners/{listener_id}", p.listener),
	}
	for _, path := range []string{"/revisions/{revision_id}/build_logs", "/revisions/{revision_id}/deploy_logs", "/deploy_logs"} {
		walks = append(walks, sending("POST "+project+path, nil, func() ([]string, object) {
			return []string{p.alone, p.aloneRevision}[:strings.Count(path, "{")+1], object{}
		}))
	}
	return walks
}

// tables has what the document doesn't say.
func (p *controlPlane) tables() {
	p.samples = map[string]any{
		"source_config.integration_id": p.integration, "source_config.listener_id": p.listener,
		"source_config.repo_url": other, "source_config.custom_url": "https://chat.example.com",
		"listener_config.k8s_namespace": "agents-staging",
		"return_to":                     "https://example.com", "installation_id": 1000000.0,
		"k8s_namespaces": []any{"agents", "agents-staging"},
		"image_uri":      "example/agent:2", "repo_ref": "release", "tracked_repo_ref": "release",
		"env.0.name": "SAMPLE", "volume_mounts.0.name": "spare", "volumeMounts.0.name": "spare", "mountPath": "/sample",
		"mountPropagation": "HostToContainer", "imagePullPolicy": "Always", "restartPolicy": "Always", "limits.*": "2", "requests.*": "2",
	}
	p.instead = map[string]string{"valueFrom": "value"}
	for _, source := range []string{"configMap", "secret", "persistentVolumeClaim", "nfs", "projected", "downwardAPI", "csi"} {
		p.instead["volumes.0."+source] = "emptyDir"
	}
	p.shownAs = map[string]string{
		"tracked_packages": "source_revision_config.tracked_packages", "tracked_packages.0": "source_revision_config.tracked_packages.0",
		"revision_source": "source", "source_revision_config.repo_ref": "source_config.repo_branch", "tracked_repo_ref": "source_config.repo_branch"}
	p.filters = map[string][2]any{
		"GET " + deployments + " deployment_ids": {p.failed, nobody}, "GET " + deployments + " deployment_type": {"dev", "dev_zero"},
		"GET " + deployments + " image_version": {"1", "2"}, "GET " + deployments + " limit": {1.0, nil}, "GET " + deployments + " offset": {1.0, nil},
		"GET " + deployments + " name": {"d1", "d"}, "GET " + deployments + " name_contains": {"d1", "x"},
		"GET " + deployments + " remote_reconciled": {true, false}, "GET " + deployments + " status": {"READY", "UNUSED"},
		"GET " + deployments + " agent_id": {"assistant", "other"}, "GET " + deployments + " agent_environment": {"staging", "production"},
		"GET " + deployments + " tag_value_ids": {nil, nobody},
		"GET " + deployments + " url":           {p.url, "https://example.com"},
		"GET " + revisions + " limit":           {1.0, nil}, "GET " + revisions + " offset": {1.0, nil},
		"GET " + revisions + " remote_reconciled": {true, false}, "GET " + revisions + " status": {"DEPLOY_FAILED", "UNKNOWN"},
		"GET /v2/listeners limit": {1.0, nil}, "GET /v2/listeners offset": {1.0, nil},
		"GET " + revision + "/logs type": {"build", "deploy"}, "GET " + revision + "/logs order": {"asc", "desc"},
		"GET " + revision + "/logs limit": {1.0, nil}, "GET " + revision + "/logs offset": {"1", nil},
		"GET /v2/deployment-logs log_type": {"BUILD", "DEPLOY"}, "GET /v2/deployment-logs sort_order": {"asc", "desc"},
		"GET /v2/deployment-logs page_size": {1.0, nil}, "GET /v2/deployment-logs cursor": {"1", nil},
		"GET /v2/deployment-logs deployment_id": {p.alone, p.git},
	}
	for _, list := range []string{installations, installations + "/{integration_id}/repositories", forge + "/installations"} {
		p.filters["GET "+list+" page_size"], p.filters["GET "+list+" cursor"] = [2]any{1.0, nil}, [2]any{"1", nil}
	}
	// The lines of the rollout that failed: two to deploy, and the failure.
	for _, does := range []string{
		"GET " + revision + "/logs", "GET /v2/deployment-logs", "POST " + project + "/revisions/{revision_id}/build_logs",
		"POST " + project + "/revisions/{revision_id}/deploy_logs", "POST " + project + "/deploy_logs",
	} {
		build := strings.HasSuffix(does, "build_logs")
		level, text := [2]any{"ERROR", "INFO"}, [2]any{"MEMORY", "queued"}
		minute := func(n int) string { return p.begun.Add(time.Duration(n) * time.Minute).Format(time.RFC3339) }
		from, to := minute(20), minute(19)
		if build {
			level, text, from, to = [2]any{"INFO", "ERROR"}, [2]any{"queued", "memory"}, minute(2), minute(1)
		}
		if strings.HasPrefix(does, "GET") {
			p.filters[does+" run_id"] = [2]any{nil, nobody}
		}
		p.filters[does+" level"], p.filters[does+" query"] = level, text
		p.filters[does+" start_time"], p.filters[does+" end_time"] = [2]any{from, nil}, [2]any{to, nil}
		if strings.HasPrefix(does, "POST") {
			p.filters[does+" order"], p.filters[does+" limit"] = [2]any{"asc", "desc"}, [2]any{1.0, nil}
			p.filters[does+" offset"] = [2]any{"1", nil}
		}
	}
	p.effects = map[string]func() string{}
	p.elsewhere = []string{
		"GET /v2/deployment-logs revision_id", "POST " + forge + "/installation-link return_to",
		"POST " + forge + "/picker-sessions/{session_id}/selection action",
		"POST " + forge + "/picker-sessions/{session_id}/selection installation_id",
		"DELETE " + deployments + " deployment_ids", "DELETE " + one + " delete_tracing_project", "DELETE " + one + " force",
	}
	for _, does := range []string{"POST " + deployments, "PATCH " + one, "POST " + revisions} {
		method, path, _ := strings.Cut(does, " ")
		send := func(of func() object, id string, member string, value any) (int, object, string) {
			body := of()
			if does != "POST "+deployments {
				delete(body, "name")
				delete(body, "source")
			}
			config, _ := body["source_config"].(object)
			config[member] = value
			return p.send(method, probe{path: strings.Replace(path, "{deployment_id}", id, 1), body: body})
		}
		// The service shows neither command. The log of the build does.
		for _, command := range []string{"install_command", "build_command"} {
			p.effects[does+" source_config."+command] = func() string {
				status, answer, text := send(p.gitBody, p.git, command, "make it so")
				id, _ := answer["id"].(string)
				made, is := answer["latest_revision_id"].(string)
				if !is {
					made = id
				}
				if does != "POST "+deployments {
					id = p.git
				}
				p.clock.Advance(time.Hour)
				_, _, log := p.send(http.MethodGet, probe{path: deployments + "/" + id + "/revisions/" + made + "/logs?type=build"})
				if status >= 300 || !strings.Contains(log, "make it so") {
					return fmt.Sprintf("is ignored: %d %s, and the log of the build is %s", status, text, log)
				}
				return ""
			}
		}
		// Nor does it show the namespace, and what can't change comes back in any case. But it looks at them.
		for member, values := range map[string][2]any{
			"integration_id": {p.integration, nobody}, "listener_id": {p.listener, nobody},
			"listener_config": {object{"k8s_namespace": "agents"}, object{"k8s_namespace": "elsewhere"}},
			"repo_url":        {repository, "https://git.example.com/example-org/nothing"},
			"template_id":     {"chat", "elsewhere"},
			"deployment_type": {"dev", "prod"},
		} {
			of, id := p.gitBody, p.git
			switch member {
			case "listener_id", "listener_config":
				of, id = p.bareBody, p.external
			case "template_id":
				of, id = p.templateBody, p.template
			}
			if does == "POST "+deployments && (member == "template_id" || member == "deployment_type") {
				continue // Their values come back.
			}
			name := member
			if member == "listener_config" {
				name += ".k8s_namespace"
			}
			p.effects[does+" source_config."+name] = func() string {
				if status, _, text := send(of, id, member, values[0]); status >= 300 {
					return fmt.Sprintf("%s is answered with %d %s", encoded(values[0]), status, text)
				}
				if status, _, text := send(of, id, member, values[1]); status != http.StatusBadRequest || !strings.Contains(text, "'source_config."+name+"'") {
					return fmt.Sprintf("is ignored: %s is answered with %d %s", encoded(values[1]), status, text)
				}
				return ""
			}
		}
	}
	const unchangeable = "it can't be changed after the creation"
	p.stricter = []stricter{
		{"", "volumes.0.name", "Field required", "Kubernetes refuses a volume without a name"},
		{"", "volume_mounts.0.name", "Field required", "as for volumes"},
		{"", "volumeMounts.0.name", "Field required", "as for volumes"},
		{"", "init_containers.0.restartPolicy", "applies to sidecars only", "its description says so"},
		{"", "mountPath", "Field required", "Kubernetes refuses a mount without a path"},
		{"", "listener_config.k8s_namespace", "is required for listener", "a listener with namespaces needs to know which one"},
		{"PATCH " + one + "/resource-tiers", "database_tier", "must be a dedicated tier", "its description says so"},
		{"DELETE " + one, "force", "delete it without 'force' first", "its description says so"},
		{"GET " + revision + "/logs", "offset", "valid integer", "it is what another answer says"},
		{"", "cursor", "valid integer", "it is what another answer says"},
		{"POST " + forge + "/picker-sessions/{session_id}/selection", "installation_id", "must be one of", "its description says when it is required"},
		{"", "offset", "next_offset of another response", "it is what another answer says"},
		{"GET " + deployments, "deployment_ids", "valid UUID", "its description says that these are IDs"},
		{"", "start_time", "valid datetime", "it is a time"},
		{"", "end_time", "valid datetime", "it is a time"},
	}
	for _, does := range []string{"PATCH " + one, "POST " + revisions} {
		for _, member := range []string{"repo_url", "deployment_type", "listener_config.k8s_namespace", "template_id"} {
			p.stricter = append(p.stricter, stricter{does, "source_config." + member, "can't be changed", unchangeable})
		}
	}
}
