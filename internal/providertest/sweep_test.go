package providertest_test

import (
	"context"
	"encoding/json"
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

// sweepers are those of all collections. -sweep wants the name of a region, but the environment names the control plane.
func sweepers(
	account func() (*providertest.Account, error), sleep func(context.Context, time.Duration) error,
) map[string]*resource.Sweeper {
	all := map[string]*resource.Sweeper{}
	for typeName, c := range collections {
		all[typeName] = &resource.Sweeper{Name: typeName, Dependencies: c.users, F: func(string) error {
			a, err := account()
			if err != nil {
				return err
			}
			ids, err := c.find(context.Background(), a)
			problems := []error{err}
			for _, id := range ids {
				problems = append(problems, c.remove(context.Background(), a, id, sleep))
			}
			return errors.Join(problems...)
		}}
	}
	return all
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

// collection is where a control plane keeps objects of a type that the suite makes. Their names begin with providertest.Prefix.
type collection struct {
	path string
	// list is the query of a page.
	list string
	// name and id are members of an object.
	name, id string
	// deletion is the query of a deletion.
	deletion string
	// users are the types of objects that are deleted before.
	users []string
}

// sweepPage is the page size, which is the maximum of the service.
const sweepPage = 100

var collections = map[string]collection{
	"agentplane_deployment": {
		path: "/v2/deployments", list: "?limit=100&name_contains=" + providertest.Prefix + "&offset=", name: "name", id: "id",
		deletion: "?delete_tracing_project=true",
	},
	"agentplane_listener": {
		path: "/v2/listeners", list: "?limit=100&offset=", name: "compute_id", id: "id", users: []string{"agentplane_deployment"},
	},
	"agentplane_oauth_provider": {path: "/v2/auth/providers", name: "provider_id", id: "provider_id"},
}

// find returns the IDs of the objects. It counts by itself, because the offset on the last page is not documented.
func (c collection) find(ctx context.Context, account *providertest.Account) (ids []string, err error) {
	for offset := 0; ; offset += sweepPage {
		query := c.list
		if query != "" {
			query += strconv.Itoa(offset)
		}
		var list json.RawMessage
		if err := account.Call(ctx, http.MethodGet, c.path+query, nil, &list); err != nil {
			return ids, err
		}
		var page struct{ Resources []map[string]any }
		if c.list == "" {
			err = json.Unmarshal(list, &page.Resources)
		} else {
			err = json.Unmarshal(list, &page)
		}
		for _, object := range page.Resources {
			id, _ := object[c.id].(string)
			if name, _ := object[c.name].(string); strings.HasPrefix(name, providertest.Prefix) {
				ids = append(ids, id)
			}
		}
		if err != nil || c.list == "" || len(page.Resources) < sweepPage {
			return ids, err
		}
	}
}

// remove deletes an object, which may be gone already, and waits until it is gone: until then, nothing that it uses can be deleted.
func (c collection) remove(
	ctx context.Context, account *providertest.Account, id string, sleep func(context.Context, time.Duration) error,
) error {
	const interval, looks = 5 * time.Second, 360
	at := c.path + "/" + url.PathEscape(id)
	if err := account.Call(ctx, http.MethodDelete, at+c.deletion, nil, nil); err != nil && !isNotFound(err) {
		return err
	}
	for range looks {
		if err := account.Call(ctx, http.MethodGet, at, nil, nil); isNotFound(err) {
			return nil
		} else if err != nil {
			return err
		}
		if err := sleep(ctx, interval); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s was deleted, but is there still after %s: look at it and sweep again", at, looks*interval)
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
