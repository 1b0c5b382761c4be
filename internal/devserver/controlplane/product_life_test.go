package controlplane_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// product is a server in the product's dialect and a client that doesn't use this module: it writes and reads the
// product's words, and fails the test if a response contains a neutral one.
type product struct{ *plane }

func newProduct(t *testing.T, cfg devserver.Config) product {
	t.Helper()
	cfg.Dialect = api.LangSmith
	return product{devservertest.New(t, cfg)}
}

func (p product) say(method, path string, body any, status int) devservertest.Reply {
	p.T.Helper()
	r := p.Do(method, path, body).Want(status)
	for _, neutral := range []string{
		"git_host", "external_container", "internal_container", `"graph_config_path"`, `"cache_cpu`, `"cache_memory`,
	} {
		if strings.Contains(string(r.Body), neutral) {
			p.T.Errorf("%s %s: the response contains the neutral word %s: %s", method, path, neutral, r.Body)
		}
	}
	return r
}

func (p product) object(method, path string, body any, status int) object {
	p.T.Helper()
	return devservertest.Into[object](p.say(method, path, body, status))
}

func (p product) get(path string) object {
	p.T.Helper()
	return p.object(http.MethodGet, path, nil, http.StatusOK)
}

// latest returns the status of a deployment's latest revision; empty if there is none.
func (p product) latest(path string) any {
	p.T.Helper()
	id := p.get(path)["latest_revision_id"]
	if id == nil {
		return ""
	}
	return p.get(path + "/revisions/" + id.(string))["status"]
}

// github returns the minimal request for a repository.
func (p product) github(name string, changes ...object) object {
	p.T.Helper()
	integrations := devservertest.Into[[]object](p.say(http.MethodGet, "/v1/integrations/github/install", nil, http.StatusOK))
	id := integrations[0]["id"].(string)
	repositories := devservertest.Into[[]object](p.say(http.MethodGet, "/v1/integrations/github/"+id+"/repos", nil, http.StatusOK))
	return devservertest.With(object{
		"name": name, "source": "github",
		"source_config": object{
			"integration_id": id, "repo_url": repositories[0]["url"], "deployment_type": "dev", "build_on_push": true,
		},
		"source_revision_config": object{"repo_ref": "main", "langgraph_config_path": "langgraph.json"},
		"secrets":                []any{},
	}, changes...)
}

// docker returns the minimal request for an image.
func docker(name string, changes ...object) object {
	return devservertest.With(object{
		"name": name, "source": "external_docker",
		"source_config":          object{"resource_spec": object{}},
		"source_revision_config": object{"image_uri": "registry.example:5000/team/agent:1.0"},
		"secrets":                []any{},
	}, changes...)
}

// internal returns the minimal request for a source that is uploaded later or made from a template.
func internal(name, source string, changes ...object) object {
	return devservertest.With(object{
		"name": name, "source": source, "source_config": object{"deployment_type": "dev_free_zero"},
		"source_revision_config": object{}, "secrets": []any{},
	}, changes...)
}

// some returns the fields of an object that a test compares.
func some(o object, keys ...string) object {
	chosen := object{}
	for _, key := range keys {
		value, there := o[key]
		if !there {
			value = "(missing)"
		}
		chosen[key] = value
	}
	return chosen
}

func TestProductLife_repository(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Rollout: 40 * time.Second})
	p.WithSeed(devservertest.WorkspaceA)
	request := p.github("chat", object{
		"source_config": object{"install_command": "npm ci", "build_command": "npm run build"},
		"secrets":       []any{object{"name": "WORD", "value": "git_h0st github external_docker"}},
		"shareable":     true,
	})
	created := p.object(http.MethodPost, "/v2/deployments", request, http.StatusCreated)
	id, config, built := created["id"].(string), created["source_config"].(object), created["source_revision_config"].(object)
	path := "/v2/deployments/" + id
	sha := built["repo_commit_sha"]
	want := object{
		"name": "chat", "source": "github", "status": "AWAITING_DATABASE", "tenant_id": devservertest.WorkspaceA, "shareable": true, "route_through_gateway": false,
		"display_name": nil, "url": nil, "active_revision_id": nil, "image_version": nil,
		"deployment_tier": "SERVERLESS_S", "compute_tier": "SERVERLESS_S", "database_tier": nil, "agent": nil,
		"secrets": []any{object{"name": "WORD", "value": "git_h0st github external_docker"}}, "secret_references": []any{},
		"created_at": "2026-05-02T10:00:00.000000Z", "updated_at": "2026-05-02T10:00:00.000000Z",
		"id": id, "latest_revision_id": created["latest_revision_id"], "tracer_session_id": created["tracer_session_id"],
		"source_config": devservertest.With(request["source_config"].(object), object{"repo_branch": "main", "custom_url": config["custom_url"]}),
		"source_revision_config": object{
			"langgraph_config_path": "langgraph.json", "repo_ref": sha, "repo_commit_sha": sha, "image_uri": built["image_uri"],
			"source_tarball_path": nil, "tracked_packages": nil, "deepagents_version": nil,
		},
	}
	// The product doesn't return commands, and writes null if there is no value.
	for _, key := range []string{"install_command", "build_command", "resource_spec", "listener_id", "listener_config", "template_id"} {
		want["source_config"].(object)[key] = nil
	}
	if text, is := sha.(string); !is || len(text) != 40 {
		t.Errorf("repo_commit_sha = %v, want a commit", sha)
	}
	devservertest.Same(t, "created", want, created, nullsOfInterface)
	session := p.get("/api/v1/sessions/" + created["tracer_session_id"].(string))
	if session["name"] != "chat" || session["tenant_id"] != devservertest.WorkspaceA {
		t.Errorf("tracing project = %v, want chat in the workspace", session)
	}

	p.Clock.Advance(time.Minute)
	ready := p.get(path)
	if image, is := ready["source_revision_config"].(object)["image_uri"].(string); !is || image == "" {
		t.Error("the built revision has no image_uri")
	}
	if url := config["custom_url"]; url == nil || ready["url"] != url {
		t.Errorf("url = %v, want the custom_url %v", ready["url"], url)
	} else if at, below := strings.CutPrefix(url.(string), p.Web.URL); !below {
		t.Errorf("url = %v, want one below %s", url, p.Web.URL)
	} else {
		p.As().Do(http.MethodGet, at+"/ok", nil).Want(http.StatusNotFound).WantDetail("No agent answers here: the dev server runs no containers.")
	}
	first := created["latest_revision_id"]
	devservertest.Same(t, "deployed", object{"status": "READY", "active_revision_id": first}, some(ready, "status", "active_revision_id"))

	tagged := p.object(http.MethodPatch, path, object{
		"source_config":          object{"build_on_push": false},
		"source_revision_config": object{"repo_ref": "refs/tags/v1.1.0"},
	}, http.StatusOK)
	if branch := tagged["source_config"].(object)["repo_branch"]; branch != nil || tagged["latest_revision_id"] == first {
		t.Errorf("after deploying a tag: branch %v and latest revision %v, want no branch and a new revision", branch, tagged["latest_revision_id"])
	}
	if ref := tagged["source_revision_config"].(object)["repo_ref"]; ref == sha || ref == "refs/tags/v1.1.0" {
		t.Errorf("repo_ref of the tag = %v, want the tag's commit", ref)
	}
	commanded := p.object(http.MethodPatch, path, object{"source_config": object{"install_command": "npm install"}}, http.StatusOK)
	if commanded["latest_revision_id"] == tagged["latest_revision_id"] {
		t.Error("another command made no revision")
	}
	back := p.object(http.MethodPost, path+"/revisions/"+first.(string)+"/redeploy", nil, http.StatusOK)
	if ref := back["source_revision_config"].(object)["repo_ref"]; ref != sha {
		t.Errorf("repo_ref after the redeployment = %v, want the first commit %v", ref, sha)
	}
	if image := back["source_revision_config"].(object)["image_uri"]; image != nil {
		t.Errorf("image_uri before the build = %v, want null", image)
	}
	devservertest.Same(t, "the superseded revision", "SKIPPED", p.get(path + "/revisions?limit=2")["resources"].([]any)[1].(object)["status"])

	p.say(http.MethodDelete, path, nil, http.StatusNoContent)
	for _, want := range []string{"AWAITING_DELETE", "AWAITING_FINAL_DELETE"} {
		devservertest.Same(t, "status", want, p.get(path)["status"])
		p.say(http.MethodDelete, path, nil, http.StatusNotFound)
		p.Clock.Advance(10 * time.Second)
	}
	p.say(http.MethodGet, path, nil, http.StatusNotFound).WantDetail("Deployment ID " + id + " not found.")
	p.say(http.MethodPost, "/v2/deployments", request, http.StatusConflict)
}

// nullsOfInterface makes a nil in a literal equal to a decoded null.
var nullsOfInterface = cmpopts.EquateEmpty()

func TestProductLife_image(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{Rollout: 40 * time.Second})
	p.WithSeed(devservertest.WorkspaceA)
	listener := p.get("/v2/listeners")["resources"].([]any)[0].(object)["id"]
	reference := object{"name": "TOKEN", "secret_name": "agent", "secret_key": "token"}
	created := p.object(http.MethodPost, "/v2/deployments", docker("chat", object{
		"source_config": object{
			"listener_id": listener, "listener_config": object{"k8s_namespace": "agents"}, "custom_url": "https://chat.example",
			"resource_spec": object{"redis_memory_mb": 256, "labels": object{"redis_memory_mb": "cache_me"}},
		},
		"secrets": []any{object{"name": "A", "value": "1"}}, "secret_references": []any{reference},
	}), http.StatusCreated)
	path, first := "/v2/deployments/"+created["id"].(string), created["latest_revision_id"]
	config := created["source_config"].(object)
	spec := config["resource_spec"].(object)
	devservertest.Same(t, "resource_spec", object{"redis_memory_mb": 256.0, "labels": object{"redis_memory_mb": "cache_me"}}, some(spec, "redis_memory_mb", "labels"))
	// These are defaults of repositories, which can't be set for an image.
	devservertest.Same(t, "defaults", object{"deployment_type": "prod", "build_on_push": false}, some(config, "deployment_type", "build_on_push"))
	p.say(http.MethodPatch, "/v2/deployments/"+created["id"].(string), object{"source_config": object{"build_on_push": false}},
		http.StatusBadRequest)
	if _, neutral := spec["cache_memory_mb"]; neutral || config["listener_config"] != nil {
		t.Errorf("source_config = %v, want no neutral words and no listener_config", config)
	}
	p.Clock.Advance(time.Minute)
	ready := p.get(path)
	want := object{"url": nil, "active_revision_id": first, "image_version": "1.0", "secret_references": []any{reference}}
	devservertest.Same(t, "deployed", want, some(ready, "url", "active_revision_id", "image_version", "secret_references"))
	for _, step := range []struct {
		what     string
		patch    object
		revision bool
		want     object
	}{
		{"a name for people", object{"display_name": "Chat"}, false, object{"display_name": "Chat"}},
		{"null keeps the name", object{"display_name": nil}, false, object{"display_name": "Chat"}},
		{"no secrets change nothing", object{"secrets": []any{}}, false,
			object{"secrets": []any{object{"name": "A", "value": "1"}}}},
		{"another secret", object{"secrets": []any{object{"name": "B", "value": ""}}}, true,
			object{"secrets": []any{object{"name": "B", "value": ""}}, "secret_references": []any{reference}}},
		{"no references", object{"secret_references": []any{}}, true, object{"secret_references": []any{}}},
		{"another URL", object{"source_config": object{"custom_url": "https://b.example"}}, false, object{"url": nil}},
	} {
		before := p.get(path)["latest_revision_id"]
		after := p.object(http.MethodPatch, path, step.patch, http.StatusOK)
		if made := after["latest_revision_id"] != before; made != step.revision {
			t.Errorf("%s: made a revision: %v, want %v", step.what, made, step.revision)
		}
		keys := make([]string, 0, len(step.want))
		for key := range step.want {
			keys = append(keys, key)
		}
		devservertest.Same(t, step.what, step.want, some(after, keys...))
	}
	p.say(http.MethodDelete, path+"?delete_tracing_project=true", nil, http.StatusNoContent)
	p.Clock.Advance(time.Minute)
	p.say(http.MethodGet, path, nil, http.StatusNotFound)
	p.object(http.MethodPost, "/v2/deployments", docker("chat", object{"source_config": object{
		"listener_id": listener, "listener_config": object{"k8s_namespace": "agents"},
	}}), http.StatusCreated)
}

// TestProductLife_uploads checks that there is no revision before the upload.
func TestProductLife_uploads(t *testing.T) {
	t.Parallel()
	for source, tc := range map[string]struct {
		wrong, right object
		status       string
	}{
		"internal_docker": {
			wrong:  object{"source_tarball_path": "a.tar.gz"},
			right:  object{"image_uri": "registry.example/chat:2"},
			status: "AWAITING_DEPLOY",
		},
		"internal_source": {
			wrong:  object{"image_uri": "registry.example/chat:2"},
			right:  object{"langgraph_config_path": "langgraph.json"},
			status: "BUILDING",
		},
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			p := newProduct(t, devserver.Config{Rollout: 20 * time.Second})
			created := p.object(http.MethodPost, "/v2/deployments", internal("chat", source), http.StatusCreated)
			path := "/v2/deployments/" + created["id"].(string)
			none := object{"latest_revision_id": nil, "active_revision_id": nil, "url": nil}
			devservertest.Same(t, "created", none, some(created, "latest_revision_id", "active_revision_id", "url"))
			if listed := p.get("/v2/deployments?deployment_type=dev_free_zero")["resources"].([]any); len(listed) != 1 {
				t.Errorf("listed by type = %v, want one deployment", listed)
			}
			if revisions := p.get(path + "/revisions")["resources"].([]any); len(revisions) > 0 {
				t.Errorf("revisions before the upload = %v, want none", revisions)
			}
			p.object(http.MethodPatch, path, object{"secrets": []any{object{"name": "A", "value": "1"}}}, http.StatusOK)
			if status := p.latest(path); status != "" {
				t.Errorf("a change of secrets made a revision with status %v, want none", status)
			}
			p.say(http.MethodPatch, path, object{"source_revision_config": tc.wrong}, http.StatusBadRequest)
			if source == "internal_source" {
				at, archive := p.uploadURL(path)
				p.say(http.MethodPut, at, "an archive", http.StatusOK)
				tc.right["source_tarball_path"] = archive
			}
			p.object(http.MethodPatch, path, object{"source_revision_config": tc.right}, http.StatusOK)
			p.Clock.Advance(5 * time.Second)
			if status := p.latest(path); status != tc.status {
				t.Errorf("status during the rollout = %v, want %s", status, tc.status)
			}
			p.Clock.Advance(time.Minute)
			if status, url := p.latest(path), p.get(path)["url"]; status != "DEPLOYED" || url == nil {
				t.Errorf("in the end, status = %v and url = %v; want DEPLOYED and a URL", status, url)
			}
		})
	}
}

func TestProductLife_template(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	p.say(http.MethodPost, "/v2/deployments", internal("chat", "internal_template"), http.StatusBadRequest).
		WantDetail("Source configuration error: 'source_config.template_id' is required for source 'internal_template'.")
	created := p.object(http.MethodPost, "/v2/deployments",
		internal("chat", "internal_template", object{"source_config": object{"template_id": "react-agent"}}), http.StatusCreated)
	path := "/v2/deployments/" + created["id"].(string)
	devservertest.Same(t, "template_id", "react-agent", created["source_config"].(object)["template_id"])
	devservertest.Same(t, "status of the revision", "DEPLOYED", p.latest(path))
}

// TestDialectsShareData checks that servers of both dialects can use the same file, because it is stored in neutral words.
func TestDialectsShareData(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "plane.db")
	p := newProduct(t, devservertest.Stored(t, devserver.Config{Data: data}))
	p.WithSeed(devservertest.WorkspaceA)
	repository := p.object(http.MethodPost, "/v2/deployments", p.github("repository"), http.StatusCreated)
	upload := p.object(http.MethodPost, "/v2/deployments", internal("upload", "internal_docker"), http.StatusCreated)
	repositoryPath, uploadPath := "/v2/deployments/"+repository["id"].(string), "/v2/deployments/"+upload["id"].(string)
	p.object(http.MethodPatch, repositoryPath, object{"display_name": "Repository"}, http.StatusOK)
	p.Stop()

	neutral := devservertest.New(t, devservertest.Stored(t, devserver.Config{Data: data}))
	neutral.WithSeed(devservertest.WorkspaceA)
	d := neutral.Deployment(repository["id"].(string))
	type seen struct {
		Source          api.Source
		Ref, Path, Name string
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	got := seen{d.Source, text(d.SourceRevisionConfig.RepoRef), text(d.SourceRevisionConfig.GraphConfigPath), text(d.DisplayName)}
	devservertest.Same(t, "in neutral words", seen{api.SourceGitHost, "main", "langgraph.json", ""}, got)
	if u := devservertest.Get[object](neutral, uploadPath); u["source"] != "internal_container" || u["latest_revision_id"] != nil {
		t.Errorf("the upload in neutral words = %v, want internal_container without a revision", u)
	}
	image := neutral.Create(devservertest.ImageRequest("image", object{"source_config": object{
		"listener_id": neutral.Seeded.ListenerID, "listener_config": object{"k8s_namespace": "agents"},
		"resource_spec": object{"cache_memory_mb": 128},
	}}))
	neutral.Stop()

	p = newProduct(t, devservertest.Stored(t, devserver.Config{Data: data}))
	after := p.get("/v2/deployments/" + image.ID)
	if spec := after["source_config"].(object)["resource_spec"].(object); after["source"] != "external_docker" || spec["redis_memory_mb"] != 128.0 {
		t.Errorf("the image in the product's words = %v, want external_docker and redis_memory_mb 128", after)
	}
	devservertest.Same(t, "display_name", "Repository", p.get(repositoryPath)["display_name"])
}
