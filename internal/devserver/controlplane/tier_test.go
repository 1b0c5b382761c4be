package controlplane_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/devservertest"
)

// TestTiers checks that changing tiers makes no revision.
func TestTiers(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	path := "/v2/deployments/" + p.object(http.MethodPost, "/v2/deployments", internal("chat", "internal_docker"), http.StatusCreated)["id"].(string)
	latest := p.get(path)["latest_revision_id"]
	for _, step := range []struct {
		at                          string
		body                        object
		deployment, compute, stored any
	}{
		{"/deployment-tier", object{"deployment_tier": "SERVERLESS_M"}, "SERVERLESS_M", "SERVERLESS_M", nil},
		{"/deployment-tier", object{"deployment_tier": "DEDICATED_S"}, "DEDICATED_S", "DEDICATED_S", "DEDICATED_S"},
		{"/resource-tiers", object{"compute_tier": "DEDICATED_L"}, "DEDICATED_S", "DEDICATED_L", "DEDICATED_S"},
		{"/resource-tiers", object{"compute_tier": nil, "database_tier": "DEDICATED_M"}, "DEDICATED_S", "DEDICATED_L", "DEDICATED_M"},
	} {
		p.Clock.Advance(time.Second)
		changed := p.object(http.MethodPatch, path+step.at, step.body, http.StatusOK)
		want := object{
			"deployment_tier": step.deployment, "compute_tier": step.compute, "database_tier": step.stored, "latest_revision_id": latest,
		}
		read := p.get(path)
		for name, got := range map[string]object{"answered": changed, "read": read} {
			devservertest.Same(t, fmt.Sprintf("%v %s", step.body, name), want, some(got, "deployment_tier", "compute_tier", "database_tier", "latest_revision_id"), nullsOfInterface)
		}
	}
	p.say(http.MethodPatch, path+"/resource-tiers", object{}, http.StatusBadRequest).
		WantDetail("One of 'compute_tier' and 'database_tier' is required.")
	p.say(http.MethodPatch, path+"/resource-tiers", object{"database_tier": "SERVERLESS_S"}, http.StatusBadRequest).
		WantDetail("'database_tier' must be a dedicated tier, such as DEDICATED_S.")
	p.say(http.MethodPatch, path+"/deployment-tier", object{"deployment_tier": "HUGE"}, http.StatusUnprocessableEntity)
	p.say(http.MethodPatch, path+"/deployment-tier", object{}, http.StatusUnprocessableEntity)
	none := "/v2/deployments/" + devservertest.WorkspaceA
	p.say(http.MethodPatch, none+"/deployment-tier", object{"deployment_tier": "SERVERLESS_S"}, http.StatusNotFound)
	p.say(http.MethodPatch, none+"/resource-tiers", object{"compute_tier": "SERVERLESS_S"}, http.StatusNotFound)
}

func TestFreeCount(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	for name, kind := range map[string]string{"a": "dev_free", "b": "dev_free_zero", "c": "dev"} {
		request := internal(name, "internal_docker")
		request["source_config"] = object{"deployment_type": kind}
		p.say(http.MethodPost, "/v2/deployments", request, http.StatusCreated)
	}
	devservertest.Same(t, "free-count", 2.0, p.get("/v2/deployments/free-count")["count"])
}

// TestForgeIntegrations checks that the git host's second app has its own integrations.
func TestForgeIntegrations(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	p.WithSeed(devservertest.WorkspaceA)
	made := p.object(http.MethodPost, "/dev/integrations", object{"name": "forge-org", "forge": true, "repositories": []object{{"name": "agent"}}}, http.StatusCreated)
	list := func(path string) (names []any) {
		for _, one := range devservertest.Get[[]object](p.plane, path) {
			names = append(names, one["name"])
		}
		return names
	}
	id := made["id"].(string)
	for path, want := range map[string][]any{
		"/v1/integrations/github/install":                {"example-org"},
		"/v1/integrations/forge/github/install":          {"forge-org"},
		"/v1/integrations/forge/github/" + id + "/repos": {"agent"},
	} {
		devservertest.Same(t, path, want, list(path))
	}
	p.say(http.MethodGet, "/v1/integrations/github/"+id+"/repos", nil, http.StatusNotFound)
	p.say(http.MethodGet, "/v1/integrations/forge/github/x/repos", nil, http.StatusUnprocessableEntity)
}

// TestDefaultTiers expects the tier of a new deployment's type, and none of an image that the installation's own hosts run.
func TestDefaultTiers(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	for kind, want := range map[string]any{"dev": "SERVERLESS_S", "dev_free": "SERVERLESS_S", "dev_free_zero": "SERVERLESS_S", "prod": "DEDICATED_S", "": nil} {
		request := docker("image")
		if kind != "" {
			request = internal(strings.ReplaceAll(kind, "_", "-"), "internal_docker", object{"source_config": object{"deployment_type": kind}})
		}
		made := p.object(http.MethodPost, "/v2/deployments", request, http.StatusCreated)
		devservertest.Same(t, fmt.Sprintf("type %q", kind), object{"deployment_tier": want, "compute_tier": want}, some(made, "deployment_tier", "compute_tier"))
	}
}

// TestSecretsLeftOut creates deployments without secrets: only that of a pushed image may leave them out.
func TestSecretsLeftOut(t *testing.T) {
	t.Parallel()
	p := newProduct(t, devserver.Config{})
	for source, status := range map[string]int{"internal_docker": 201, "internal_source": 422} {
		request := internal(strings.ReplaceAll(source, "_", "-"), source)
		delete(request, "secrets")
		p.say(http.MethodPost, "/v2/deployments", request, status)
		request["secrets"] = nil
		p.say(http.MethodPost, "/v2/deployments", request, http.StatusUnprocessableEntity)
	}
	neutral := devservertest.ImageRequest("chat", object{"secrets": nil})
	devservertest.New(t, devserver.Config{}).Do(http.MethodPost, "/v2/deployments", neutral).Want(http.StatusUnprocessableEntity)
}
