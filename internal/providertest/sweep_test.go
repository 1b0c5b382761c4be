package providertest_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestMain lets the provider under test be found where examples and README look for it: agentplane/agentplane. With
// -sweep it removes what the suite left in a real control plane. With standInVariable, the program is another provider.
func TestMain(m *testing.M) {
	if os.Getenv(standInVariable) != "" {
		serveRandom()
		return
	}
	if err := os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "agentplane"); err != nil {
		panic(err)
	}
	for name, sweeper := range sweepers(providertest.Installation, sleep) {
		resource.AddTestSweepers(name, sweeper)
	}
	resource.TestMain(m)
}

// sweepers are those of everything that the suite makes. -sweep wants the name of a region, but the environment names the
// control plane.
func sweepers(
	account func() (*providertest.Account, error), sleep func(context.Context, time.Duration) error,
) map[string]*resource.Sweeper {
	sweep := func(noun func(providertest.Sweeper, context.Context) error) resource.SweeperFunc {
		return func(string) error {
			a, err := account()
			if err != nil {
				return err
			}
			return noun(providertest.Sweeper{Account: a, Sleep: sleep}, context.Background())
		}
	}
	const deployment, listener, oauthProvider = "agentplane_deployment", "agentplane_listener", "agentplane_oauth_provider"
	return map[string]*resource.Sweeper{
		deployment:    {Name: deployment, F: sweep(providertest.Sweeper.Deployments)},
		listener:      {Name: listener, F: sweep(providertest.Sweeper.Listeners), Dependencies: []string{deployment}},
		oauthProvider: {Name: oauthProvider, F: sweep(providertest.Sweeper.OAuthProviders)},
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// remains are the names of what a control plane holds.
func remains(plane *providertest.Plane) []string {
	var names []string
	for _, path := range []string{"/v2/deployments?limit=100", "/v2/listeners?limit=100"} {
		var list struct {
			Resources []struct {
				Name      string `json:"name"`
				ComputeID string `json:"compute_id"`
			} `json:"resources"`
		}
		plane.Call("GET", path, nil, &list)
		for _, resource := range list.Resources {
			names = append(names, resource.Name+resource.ComputeID)
		}
	}
	var providers []struct {
		ProviderID string `json:"provider_id"`
	}
	plane.Call("GET", "/v2/auth/providers", nil, &providers)
	for _, provider := range providers {
		names = append(names, provider.ProviderID)
	}
	slices.Sort(names)
	return names
}

// TestSweepers leaves alone what isn't the suite's, and takes more deployments than a page holds.
func TestSweepers(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t, func(cfg *devserver.Config) { cfg.Rollout = time.Minute })
	deploy := func(name, listener string) {
		plane.Call("POST", "/v2/deployments", map[string]any{
			"name": name, "source": "external_container", "secrets": []any{},
			"source_config": map[string]any{
				"listener_id": listener, "listener_config": map[string]any{"k8s_namespace": "agents"}, "resource_spec": map[string]any{},
			},
			"source_revision_config": map[string]any{"image_uri": "registry.example.com/agents/chat:1"},
		}, nil)
	}
	listener := func(computeID string) string {
		var made struct{ ID string }
		plane.Call("POST", "/v2/listeners", map[string]any{
			"compute_type": "k8s", "compute_id": computeID, "compute_config": map[string]any{"k8s_namespaces": []string{"agents"}},
		}, &made)
		return made.ID
	}
	provider := func(providerID string) {
		plane.Call("POST", "/v2/auth/providers", map[string]any{
			"provider_id": providerID, "name": "Calendar", "client_id": "agents",
			"auth_url": "https://login.example.com/authorize", "token_url": "https://login.example.com/token",
		}, nil)
	}
	before := remains(plane)
	ours, theirs := listener("tf-acc-cluster"), listener("cluster-of-tf-acc-people")
	for i := range 101 {
		deploy(fmt.Sprintf("tf-acc-%d", i), ours)
	}
	deploy("not-tf-acc-chat", theirs)
	provider("tf-acc-calendar")
	provider("calendar")

	account := func() (*providertest.Account, error) {
		return &providertest.Account{
			URL: plane.URL, APIKey: providertest.APIKey, WorkspaceID: providertest.WorkspaceID, Dialect: plane.Dialect(),
		}, nil
	}
	all := sweepers(account, plane.Clock.Sleep)
	for range 2 { // The second time there is nothing left to do.
		for _, name := range []string{"agentplane_deployment", "agentplane_listener", "agentplane_oauth_provider"} {
			if err := all[name].F("all"); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := slices.Concat(before, []string{"not-tf-acc-chat", "cluster-of-tf-acc-people", "calendar"})
	slices.Sort(want)
	if diff := cmp.Diff(want, remains(plane)); diff != "" {
		t.Error(diff)
	}
}
