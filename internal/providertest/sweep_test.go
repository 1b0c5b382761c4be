package providertest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
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
	sweep := func(noun func(sweeper, context.Context) error) resource.SweeperFunc {
		return func(string) error {
			a, err := account()
			if err != nil {
				return err
			}
			return noun(sweeper{a, sleep}, context.Background())
		}
	}
	const deployment, listener, oauthProvider = "agentplane_deployment", "agentplane_listener", "agentplane_oauth_provider"
	return map[string]*resource.Sweeper{
		deployment:    {Name: deployment, F: sweep(sweeper.deployments)},
		listener:      {Name: listener, F: sweep(sweeper.listeners), Dependencies: []string{deployment}},
		oauthProvider: {Name: oauthProvider, F: sweep(sweeper.oauthProviders)},
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

const (
	// sweepPage is the page size, which is the maximum of the service.
	sweepPage = 100
	// sweepInterval and sweepLooks limit the wait for a deletion, which the service carries out later.
	sweepInterval = 5 * time.Second
	sweepLooks    = 360
)

// sweeper deletes what a run of the suite has left in a control plane: everything whose name begins with providertest.Prefix.
type sweeper struct {
	account *providertest.Account
	// sleep waits while the control plane works.
	sleep func(context.Context, time.Duration) error
}

// deployments deletes deployments and their tracing projects, and waits until they are gone: until then, their listeners can't be
// deleted.
func (s sweeper) deployments(ctx context.Context) error {
	going, err := s.find(ctx, "/v2/deployments", "name", url.Values{"name_contains": {providertest.Prefix}})
	if err != nil {
		return err
	}
	var problems []error
	for _, id := range going {
		if err := s.remove(ctx, "/v2/deployments/"+id+"?delete_tracing_project=true"); err != nil {
			problems = append(problems, err)
			continue
		}
		problems = append(problems, s.gone(ctx, "/v2/deployments/"+id))
	}
	return errors.Join(problems...)
}

// listeners deletes listeners.
func (s sweeper) listeners(ctx context.Context) error {
	going, err := s.find(ctx, "/v2/listeners", "compute_id", url.Values{})
	if err != nil {
		return err
	}
	var problems []error
	for _, id := range going {
		problems = append(problems, s.remove(ctx, "/v2/listeners/"+id))
	}
	return errors.Join(problems...)
}

// oauthProviders deletes OAuth providers.
func (s sweeper) oauthProviders(ctx context.Context) error {
	var providers []struct {
		ProviderID string `json:"provider_id"`
	}
	if err := s.account.Call(ctx, http.MethodGet, "/v2/auth/providers", nil, &providers); err != nil {
		return err
	}
	var problems []error
	for _, p := range providers {
		if strings.HasPrefix(p.ProviderID, providertest.Prefix) {
			problems = append(problems, s.remove(ctx, "/v2/auth/providers/"+url.PathEscape(p.ProviderID)))
		}
	}
	return errors.Join(problems...)
}

// find returns the IDs of the objects of a collection whose names begin with Prefix. It counts by itself, because the offset on the
// last page is not documented.
func (s sweeper) find(ctx context.Context, path, nameField string, query url.Values) ([]string, error) {
	var ids []string
	for offset := 0; ; offset += sweepPage {
		var page struct {
			Resources []map[string]any `json:"resources"`
		}
		query.Set("limit", strconv.Itoa(sweepPage))
		query.Set("offset", strconv.Itoa(offset))
		if err := s.account.Call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		for _, resource := range page.Resources {
			id, _ := resource["id"].(string)
			name, _ := resource[nameField].(string)
			if strings.HasPrefix(name, providertest.Prefix) && id != "" {
				ids = append(ids, id)
			}
		}
		if len(page.Resources) < sweepPage {
			return ids, nil
		}
	}
}

// remove deletes an object, which may already be gone.
func (s sweeper) remove(ctx context.Context, path string) error {
	err := s.account.Call(ctx, http.MethodDelete, path, nil, nil)
	if isNotFound(err) {
		return nil
	}
	return err
}

// gone waits until there is nothing at path.
func (s sweeper) gone(ctx context.Context, path string) error {
	for range sweepLooks {
		switch err := s.account.Call(ctx, http.MethodGet, path, nil, nil); {
		case isNotFound(err):
			return nil
		case err != nil:
			return err
		}
		if err := s.sleep(ctx, sweepInterval); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s was deleted, but is there still after %s: look at it and sweep again", path, sweepLooks*sweepInterval)
}

func isNotFound(err error) bool {
	answer, ok := errors.AsType[*providertest.StatusError](err)
	return ok && answer.Status == http.StatusNotFound
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
