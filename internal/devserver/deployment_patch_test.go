package devserver_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// The trigger table, both sides of it.
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
			p := newPlane(t, devserver.Config{}).seed(workspaceB)
			if tc.repo {
				p.header.Set("X-Tenant-Id", workspaceB)
			}
			request := imageRequest("chat")
			if tc.repo {
				request = p.repoRequest("chat")
			}
			before := p.create(request)
			p.clock.Advance(time.Second)
			after := p.patch(before.ID, tc.patch)
			if made := *after.LatestRevisionID != *before.LatestRevisionID; made != tc.want {
				t.Errorf("made a revision: %v, want %v", made, tc.want)
			}
			if after.UpdatedAt == before.UpdatedAt {
				t.Error("updated_at did not move")
			}
			if diff := cmp.Diff(after, p.deployment(before.ID)); !tc.want && diff != "" {
				t.Errorf("read (-patched +got):\n%s", diff)
			}
		})
	}
}

func TestPatchMergesAndReplaces(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{EchoResourceSpec: true})
	before := p.create(imageRequest("chat", object{
		"source_config": object{
			"custom_url":    "https://one.example",
			"build_command": "make",
			"resource_spec": object{"cpu": 1, "memory_mb": 512},
		},
		"secrets": []any{object{"name": "A", "value": "1"}, object{"name": "B", "value": "2"}},
	}))
	want := before
	check := func(step string, patch object) {
		t.Helper()
		got := p.patch(before.ID, patch)
		want.LatestRevisionID, want.ActiveRevisionID = got.LatestRevisionID, got.ActiveRevisionID
		want.UpdatedAt, want.Status, want.ImageVersion = got.UpdatedAt, got.Status, got.ImageVersion
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
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
	want.SourceConfig.BuildCommand, want.SourceConfig.InstallCommand = new(""), new("npm ci")
	check("commands", object{"source_config": object{"build_command": "", "install_command": "npm ci"}})
}

func TestPatchRefuses(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{})
	early := p.create(imageRequest("early"))
	p.seed(workspaceA)
	image := p.create(imageRequest("image", object{"source_config": object{
		"listener_id": p.seeded.ListenerID, "listener_config": object{"k8s_namespace": "agents"}}}))
	repo := p.create(p.repoRequest("repo", object{"source_revision_config": object{"repo_ref": "refs/tags/v1"}}))
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
		"integration": {repo.ID, object{"source_config": object{"integration_id": workspaceA}},
			changed("source_config.integration_id", "'"+p.seeded.IntegrationID+"'", workspaceA)},
		"repository": {repo.ID, object{"source_config": object{"repo_url": "https://git.example/b"}},
			changed("source_config.repo_url", "'https://git.example/acme/agent'", "https://git.example/b")},
		"type": {repo.ID, object{"source_config": object{"deployment_type": "prod"}},
			changed("source_config.deployment_type", "'dev'", "prod")},
		"URL of a repository": {repo.ID, object{"source_config": object{"custom_url": "https://mine.example"}},
			changed("source_config.custom_url", "'"+*repo.SourceConfig.CustomURL+"'", "https://mine.example")},
		"listener": {image.ID, object{"source_config": object{"listener_id": workspaceA}},
			changed("source_config.listener_id", "'"+p.seeded.ListenerID+"'", workspaceA)},
		"listener where there is none": {early.ID, object{"source_config": object{"listener_id": p.seeded.ListenerID}},
			changed("source_config.listener_id", "null", p.seeded.ListenerID)},
		"namespace": {
			image.ID,
			object{"source_config": object{"listener_config": object{"k8s_namespace": "agents-staging"}}},
			changed("source_config.listener_config.k8s_namespace", "'agents'", "agents-staging")},
		"field of the other source": {image.ID, object{"source_revision_config": object{"repo_ref": "main"}},
			"Source configuration error: 'source_revision_config.repo_ref' applies to source 'git_host' only, not to 'external_container'."},
		"build on push of a tag that is there": {repo.ID, object{"source_config": object{"build_on_push": true}},
			"Source configuration error: 'source_config.build_on_push' must be false when 'source_revision_config.repo_ref' is a tag ('refs/tags/v1')."},
		"no image": {image.ID, object{"source_revision_config": object{"image_uri": ""}},
			"Source configuration error: 'source_revision_config.image_uri' is required for source 'external_container'."},
		"secrets twice": {
			image.ID,
			object{"secrets": []any{object{"name": "A", "value": "1"}, object{"name": "A", "value": "2"}}},
			"'secrets' has the name 'A' more than once."},
	} {
		before := p.deployment(tc.id)
		p.do(http.MethodPatch, "/v2/deployments/"+tc.id, tc.patch).want(http.StatusBadRequest).wantDetail(tc.want)
		if diff := cmp.Diff(before, p.deployment(tc.id)); diff != "" {
			t.Errorf("%s: a refused patch changed something (-before +after):\n%s", name, diff)
		}
	}
	p.do(http.MethodPatch, "/v2/deployments/"+image.ID, object{"secrets": []any{object{"name": "", "value": "1"}}}).want(422)
	p.do(http.MethodPatch, "/v2/deployments/"+image.ID, `{"name":`).want(422)
	p.do(http.MethodPatch, "/v2/deployments/"+workspaceA, object{}).want(http.StatusNotFound)
}

// A client may send everything that it has read, unchanged.
func TestPatchTakesBackWhatWasRead(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{}).seed(workspaceA)
	for _, request := range []object{
		p.repoRequest("repo"),
		imageRequest("image", object{"source_config": object{
			"listener_id": p.seeded.ListenerID, "listener_config": object{"k8s_namespace": "agents"}}}),
	} {
		d := p.create(request)
		before := p.deployment(d.ID)
		after := p.patch(d.ID, get[object](p, "/v2/deployments/"+d.ID))
		if diff := cmp.Diff(before.SourceConfig, after.SourceConfig); diff != "" {
			t.Errorf("source_config (-before +after):\n%s", diff)
		}
	}
}

// The workspace's first listener does not lock the deployments that were there before.
func TestPatchWithoutListener(t *testing.T) {
	t.Parallel()
	p := newPlane(t, devserver.Config{})
	d := p.create(imageRequest("chat"))
	p.seed(workspaceA)
	if got := p.patch(d.ID, object{"source_revision_config": object{"image_uri": "agent:2"}}); got.SourceConfig.ListenerID != nil {
		t.Errorf("listener_id is %s, want null", *got.SourceConfig.ListenerID)
	}
}
