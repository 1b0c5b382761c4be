package controlplane_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestPatchMakesARevision tests fields that make a revision and fields that don't.
func TestPatchMakesARevision(t *testing.T) {
	t.Parallel()
	config := func(fields object) object { return object{"source_config": fields} }
	revision := func(fields object) object { return object{"source_revision_config": fields} }
	for name, tc := range map[string]struct {
		repo  bool
		patch object
		want  bool
	}{
		"nothing":        {false, object{}, false},
		"unknown fields": {false, object{"replicas": 3}, false},
		"nulls": {
			false,
			object{"source_config": nil, "source_revision_config": nil, "secrets": nil},
			false,
		},
		"image":                       {false, revision(object{"image_uri": "agent:2"}), true},
		"the same image":              {false, revision(object{"image_uri": "registry.example:5000/team/agent:1.0"}), true},
		"null image":                  {false, object{"source_revision_config": object{"image_uri": (*string)(nil)}}, false},
		"ref":                         {true, revision(object{"repo_ref": "next"}), true},
		"path":                        {true, revision(object{"graph_config_path": "other.json"}), true},
		"secrets":                     {false, object{"secrets": []any{object{"name": "A", "value": "1"}}}, true},
		"no secrets":                  {false, object{"secrets": []any{}}, true},
		"resource spec":               {false, config(object{"resource_spec": object{"cpu": 1}}), true},
		"empty resource spec":         {false, config(object{"resource_spec": object{}}), true},
		"custom URL":                  {false, config(object{"custom_url": "https://chat.example"}), false},
		"build on push":               {true, config(object{"build_on_push": true}), false},
		"commands":                    {true, config(object{"install_command": "npm ci", "build_command": "make"}), false},
		"immutable fields, unchanged": {false, object{"name": "chat", "source": "external_container"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceB)
			if tc.repo {
				p.Header.Set("X-Tenant-Id", devservertest.WorkspaceB)
			}
			request := devservertest.ImageRequest("chat")
			if tc.repo {
				request = p.RepoRequest("chat")
			}
			before := p.Create(request)
			p.Clock.Advance(time.Second)
			after := p.Patch(before.ID, tc.patch)
			if made := *after.LatestRevisionID != *before.LatestRevisionID; made != tc.want {
				t.Errorf("the patch made a revision: %v, want %v", made, tc.want)
			}
			if after.UpdatedAt == before.UpdatedAt {
				t.Error("the patch didn't change updated_at")
			}
			if diff := cmp.Diff(after, p.Deployment(before.ID)); !tc.want && diff != "" {
				t.Errorf("read (-patched +got):\n%s", diff)
			}
		})
	}
}

func TestPatchMergesAndReplaces(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{EchoResourceSpec: true})
	before := p.Create(devservertest.ImageRequest("chat", object{
		"source_config": object{
			"custom_url":    "https://one.example",
			"resource_spec": object{"cpu": 1, "memory_mb": 512},
		},
		"secrets": []any{object{"name": "A", "value": "1"}, object{"name": "B", "value": "2"}},
	}))
	want := before
	check := func(step string, patch object) {
		t.Helper()
		got := p.Patch(before.ID, patch)
		want.LatestRevisionID, want.ActiveRevisionID = got.LatestRevisionID, got.ActiveRevisionID
		want.UpdatedAt, want.Status, want.ImageVersion = got.UpdatedAt, got.Status, got.ImageVersion
		devservertest.Same(t, step, want, got)
	}
	check("null keeps", object{"secrets": (*string)(nil), "source_config": object{
		"custom_url": (*string)(nil), "resource_spec": (*string)(nil), "listener_config": object{"k8s_namespace": (*string)(nil)}}})
	want.SourceConfig.CustomURL = new("https://two.example")
	check("one field", object{"source_config": object{"custom_url": "https://two.example"}})
	want.SourceConfig.ResourceSpec = &api.ResourceSpec{MemoryMB: new(int64(1024))}
	check("resource_spec is replaced as a whole", object{"source_config": object{"resource_spec": object{"memory_mb": 1024}}})
	want.Secrets = []api.Secret{{Name: "C", Value: "3"}}
	check("secrets are replaced as a whole", object{"secrets": []any{object{"name": "C", "value": "3"}}})
	want.SourceRevisionConfig.ImageURI = new("agent:2")
	check("the image", object{"source_revision_config": object{"image_uri": "agent:2"}})
	want.Secrets = []api.Secret{}
	check("no secrets", object{"secrets": []any{}})
}

func TestPatchRefuses(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	early := p.Create(devservertest.ImageRequest("early"))
	p.WithSeed(devservertest.WorkspaceA)
	image := p.Create(devservertest.ImageRequest("image", object{"source_config": object{
		"listener_id": p.Seeded.ListenerID, "listener_config": object{"k8s_namespace": "agents"}}}))
	repo := p.Create(p.RepoRequest("repo", object{"source_revision_config": object{"repo_ref": "refs/tags/v1"}}))
	changed := func(field, before, after string) string {
		return fmt.Sprintf("'%s' can't be changed after creation: it is %s and the request says '%s'. "+
			"Create another deployment instead.", field, before, after)
	}
	for name, tc := range map[string]struct {
		id    string
		patch object
		want  string
	}{
		"name": {
			image.ID,
			object{"name": "other"},
			changed("name", "'image'", "other"),
		},
		"source": {
			image.ID,
			object{"source": "git_host"},
			changed("source", "'external_container'", "git_host"),
		},
		"integration": {repo.ID, object{"source_config": object{"integration_id": devservertest.WorkspaceA}},
			changed("source_config.integration_id", "'"+p.Seeded.IntegrationID+"'", devservertest.WorkspaceA)},
		"repository": {repo.ID, object{"source_config": object{"repo_url": "https://git.example.com/example-org/research-agent"}},
			changed("source_config.repo_url", "'https://git.example.com/example-org/chat'", "https://git.example.com/example-org/research-agent")},
		"type": {repo.ID, object{"source_config": object{"deployment_type": "prod"}},
			changed("source_config.deployment_type", "'dev'", "prod")},
		"URL of a repository": {repo.ID, object{"source_config": object{"custom_url": "https://mine.example"}},
			changed("source_config.custom_url", "'"+*repo.SourceConfig.CustomURL+"'", "https://mine.example")},
		"listener": {image.ID, object{"source_config": object{"listener_id": devservertest.WorkspaceA}},
			changed("source_config.listener_id", "'"+p.Seeded.ListenerID+"'", devservertest.WorkspaceA)},
		"listener where there is none": {early.ID, object{"source_config": object{"listener_id": p.Seeded.ListenerID}},
			changed("source_config.listener_id", "null", p.Seeded.ListenerID)},
		"namespace": {
			image.ID,
			object{"source_config": object{"listener_config": object{"k8s_namespace": "agents-staging"}}},
			changed("source_config.listener_config.k8s_namespace", "'agents'", "agents-staging")},
		"field of the other source": {image.ID, object{"source_revision_config": object{"repo_ref": "main"}},
			"Source configuration error: 'source_revision_config.repo_ref' applies to source 'git_host' only, not to 'external_container'."},
		"build on push of a tag that is there": {repo.ID, object{"source_config": object{"build_on_push": true}},
			"Source configuration error: 'source_config.build_on_push' must be false when 'source_revision_config.repo_ref' is a tag ('refs/tags/v1')."},
		"secrets twice": {
			image.ID,
			object{"secrets": []any{object{"name": "A", "value": "1"}, object{"name": "A", "value": "2"}}},
			"'secrets' has the name 'A' more than once."},
	} {
		before := p.Deployment(tc.id)
		p.Do(http.MethodPatch, "/v2/deployments/"+tc.id, tc.patch).Want(http.StatusBadRequest).WantDetail(tc.want)
		devservertest.Same(t, fmt.Sprintf("%s: a refused patch changed the deployment", name), before, p.Deployment(tc.id))
	}
	p.Do(http.MethodPatch, "/v2/deployments/"+image.ID, object{"secrets": []any{object{"name": "", "value": "1"}}}).Want(422)
	p.Do(http.MethodPatch, "/v2/deployments/"+image.ID, object{"source_revision_config": object{"image_uri": ""}}).Want(422)
	p.Do(http.MethodPatch, "/v2/deployments/"+image.ID, `{"name":`).Want(422)
	p.Do(http.MethodPatch, "/v2/deployments/"+devservertest.WorkspaceA, object{}).Want(http.StatusNotFound)
}

// TestPatchTakesBackWhatWasRead checks that a client may send back everything it has read.
func TestPatchTakesBackWhatWasRead(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{}).WithSeed(devservertest.WorkspaceA)
	for _, request := range []object{
		p.RepoRequest("repo"),
		devservertest.ImageRequest("image", object{"source_config": object{
			"listener_id": p.Seeded.ListenerID, "listener_config": object{"k8s_namespace": "agents"}}}),
	} {
		d := p.Create(request)
		before := p.Deployment(d.ID)
		after := p.Patch(d.ID, devservertest.Get[object](p, "/v2/deployments/"+d.ID))
		devservertest.Same(t, "source_config", before.SourceConfig, after.SourceConfig)
	}
}

// TestPatchWithoutListener checks that a deployment without a listener can be patched after the workspace got its first listener.
func TestPatchWithoutListener(t *testing.T) {
	t.Parallel()
	p := devservertest.New(t, devserver.Config{})
	d := p.Create(devservertest.ImageRequest("chat"))
	p.WithSeed(devservertest.WorkspaceA)
	if got := p.Patch(d.ID, object{"source_revision_config": object{"image_uri": "agent:2"}}); got.SourceConfig.ListenerID != nil {
		t.Errorf("listener_id is %s, want null", *got.SourceConfig.ListenerID)
	}
}
