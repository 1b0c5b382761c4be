package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestUUIDs compares the IDs that must be UUIDs with those of the product's document.
func TestUUIDs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "providertest", "testdata", "langsmith.openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	type property struct {
		Format string     `json:"format"`
		AnyOf  []property `json:"anyOf"`
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]property `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	isUUID := func(p property) bool { return p.Format == "uuid" }
	count := 0
	for name, shape := range map[string]reflect.Type{
		"Deployment": reflect.TypeFor[api.Deployment](), "SourceConfig": reflect.TypeFor[api.SourceConfig](), "Revision": reflect.TypeFor[api.Revision](),
		"Listener": reflect.TypeFor[api.Listener](), "GithubIntegration": reflect.TypeFor[api.Integration](),
		"GithubRepository": reflect.TypeFor[api.Repository](), "OAuthProviderResponse": reflect.TypeFor[api.OAuthProviderResponse](),
		"OAuthTokenSummary": reflect.TypeFor[api.OAuthTokenSummary](), "AgentConnectionResponse": reflect.TypeFor[api.AgentConnectionResponse](),
	} {
		schema, documented := document.Components.Schemas[name]
		if !documented {
			t.Errorf("the document has no %s", name)
		}
		for _, field := range reflect.VisibleFields(shape) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			p := schema.Properties[key]
			want := isUUID(p) || slices.ContainsFunc(p.AnyOf, isUUID)
			if got := field.Tag.Get("format") == "uuid"; got != want {
				t.Errorf("%s.%s is a UUID: %t, want %t", name, key, got, want)
			}
			if want {
				count++
			}
		}
	}
	if count < 11 {
		t.Errorf("%d IDs are UUIDs, want 11 at least", count)
	}
}

// TestNoUUID returns objects in which one ID isn't a UUID: each operation that reads the object refuses it, and names the ID.
func TestNoUUID(t *testing.T) {
	t.Parallel()
	const id = "d0000001-0000-4000-8000-000000000000"
	deployments := map[string]string{
		"id":                 `"id": "../../v1/x"`,
		"tenant_id":          `"id": "` + id + `", "tenant_id": "x"`,
		"latest_revision_id": `"id": "` + id + `", "latest_revision_id": "x"`,
		"active_revision_id": `"id": "` + id + `", "active_revision_id": "d0000001-0000-4000-8000-00000000000"`,
		"tracer_session_id":  `"id": "` + id + `", "tracer_session_id": "x"`,
		"integration_id":     `"id": "` + id + `", "source_config": {"integration_id": "x"}`,
		"listener_id":        `"id": "` + id + `", "source_config": {"listener_id": "x"}`,
	}
	for field, object := range deployments {
		refuses(t, field, "{"+object+"}", func(ctx context.Context, c *Client) error { _, err := c.GetDeployment(ctx, id); return err })
		refuses(t, field, `[{"id": "`+id+`"}, {`+object+"}]", func(ctx context.Context, c *Client) error {
			_, err := Collect(c.ListDeployments(ctx, DeploymentFilter{}))
			return err
		})
		refuses(t, field, "{"+object+"}", func(ctx context.Context, c *Client) error {
			_, _, err := c.CreateDeployment(ctx, api.DeploymentCreateRequest{Name: "chat"})
			return err
		})
	}
	const x = `{"id": "x", "status": "DEPLOYED"}`
	refuses(t, "id", x, func(ctx context.Context, c *Client) error { _, err := c.GetRevision(ctx, id, id); return err })
	refuses(t, "id", "["+x+"]", func(ctx context.Context, c *Client) error {
		_, err := Collect(c.ListRevisions(ctx, id, RevisionFilter{}))
		return err
	})
	refuses(t, "id", x, func(ctx context.Context, c *Client) error { _, err := c.GetListener(ctx, id); return err })
	refuses(t, "id", x, func(ctx context.Context, c *Client) error {
		_, err := c.CreateListener(ctx, api.ListenerCreateRequest{ComputeID: "east"})
		return err
	})
	refuses(t, "id", "["+x+"]", func(ctx context.Context, c *Client) error { _, err := Collect(c.ListIntegrations(ctx)); return err })
	refuses(t, "host_integration_id", `[{"id": 1, "host_integration_id": "x"}]`, func(ctx context.Context, c *Client) error {
		_, err := Collect(c.ListRepositories(ctx, id))
		return err
	})

	// The tracing service.
	refuses(t, "id", x, func(ctx context.Context, c *Client) error { _, err := c.GetTracingProject(ctx, id); return err })
	refuses(t, "id", "["+x+"]", func(ctx context.Context, c *Client) error { _, err := c.FindTracingProject(ctx, "chat"); return err })
	for _, field := range []string{"id", "project_id", "trace_id"} {
		run := fmt.Sprintf(`{"id": %q, %q: "x"}`, id, field)
		refuses(t, field, run, func(ctx context.Context, c *Client) error { _, err := c.GetRun(ctx, id, id); return err })
		refuses(t, field, `{"items": [`+run+`]}`, func(ctx context.Context, c *Client) error {
			_, err := c.QueryRuns(ctx, api.RunQuery{}, 10)
			return err
		})
	}

	// Those that a service leaves out, and those that it may spell in another way.
	for _, object := range []string{
		`{"id": "D0000001-0000-4000-8000-000000000000", "tenant_id": null, "latest_revision_id": ""}`, `{"id": "d0000001000040008000000000000000"}`,
	} {
		c, _ := serve(t, answerWith(http.StatusOK, object))
		if _, err := c.GetDeployment(t.Context(), id); err != nil {
			t.Errorf("%s: %v", object, err)
		}
	}
	c, _ := serve(t, answerWith(http.StatusOK, x))
	if d, err := c.PatchDeployment(t.Context(), id, api.DeploymentPatchRequest{}); d != nil || err != nil {
		t.Errorf("PatchDeployment = %v, %v; want neither, because no response to a change is proof", d, err)
	}
}

func refuses(t *testing.T, field, body string, call func(context.Context, *Client) error) {
	t.Helper()
	c, _ := serve(t, answerWith(http.StatusOK, body))
	err := call(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "its "+field+" is ") || !strings.Contains(err.Error(), "which is not a UUID") {
		t.Errorf("%s: error = %v, want one that names %s", body, err, field)
	}
}

// TestHostileList_unraced reads megabytes of worthless items: it ends at the first of them, in little more memory than the list itself takes. It isn't parallel,
// because it measures what is allocated.
func TestHostileList_unraced(t *testing.T) {
	const items = 2 << 20
	body := []byte("[" + strings.Repeat("{},", items) + "{}]")
	for name, test := range map[string]struct {
		body []byte
		want string
	}{
		"worthless":           {body, "item 1 of the list: it has no id"},
		"in an object":        {slices.Concat([]byte(`{"offset": 0, "resources": `), body, []byte("}")), "item 1 of the list: it has no id"},
		"of another endpoint": {slices.Concat([]byte(`{"items": `), body, []byte("}")), "the response has no list"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := decodeList(test.body, "resources", hasKey(func(d api.Deployment) string { return d.ID }))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error = %v, want %q", name, err, test.want)
		}
		allocated, size := after.TotalAlloc-before.TotalAlloc, uint64(len(test.body))
		t.Logf("%s: %d MB for a list of %d MB", name, allocated>>20, size>>20)
		if allocated > 8*size {
			t.Errorf("%s: %d bytes were allocated for a list of %d", name, allocated, size)
		}
	}
}

func TestDecodeList(t *testing.T) {
	t.Parallel()
	type item struct {
		ID string `json:"id"`
	}
	check := hasKey(func(i item) string { return i.ID })
	for body, want := range map[string]struct {
		ids   []string
		whole bool
		err   string
	}{
		`[{"id": "a"}, {"id": "b"}]`: {[]string{"a", "b"}, true, ""},
		` [ ] `:                      {[]string{}, true, ""},
		`{"offset": [{}], "resources": [{"id": "a"}], "x": 1}`: {[]string{"a"}, false, ""},
		`{"resources": []}`:          {[]string{}, false, ""},
		`{"resources": null}`:        {nil, false, "no list"},
		`{}`:                         {nil, false, "no list"},
		`null`:                       {nil, false, "no list"},
		`1`:                          {nil, false, "no list"},
		`{"resources": {}}`:          {nil, false, `not the expected JSON: "resources" is not a list`},
		`{"resources": 1}`:           {nil, false, `not the expected JSON: "resources" is not a list`},
		`[{"id": "a"}, {"id": 1}]`:   {nil, true, "item 2 of the list: the response is not the expected JSON: id is a number, not a string"},
		`[{"id": "a"}, null]`:        {nil, true, "item 2 of the list: it has no id"},
		`[{"id": "a"}`:               {nil, false, "broke off"},
		`{"resources": [{"id": "a"}`: {nil, false, "broke off"},
		`[{"id": "a"}] []`:           {nil, false, "something follows it"},
		"[{\"id\": \"\xff\"}]":       {nil, false, "not UTF-8"},
		`[{"id" "a"}]`:               {nil, false, "not the expected JSON"},
		``:                           {nil, false, "empty"},
	} {
		list, err := decodeList([]byte(body), "resources", check)
		if (want.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%s: error = %v, want %q", body, err, want.err)
		}
		var ids []string
		if list.items != nil {
			ids = []string{}
		}
		for _, i := range list.items {
			ids = append(ids, i.ID)
		}
		if diff := cmp.Diff(want.ids, ids); diff != "" || list.whole != want.whole {
			t.Errorf("%s: whole = %t, items (-want +got):\n%s", body, list.whole, diff)
		}
	}
	if _, err := decodeList([]byte(`{"resources": []}`), "", check); !errors.Is(err, errNoList) {
		t.Errorf("an object instead of an array: %v, want errNoList", err)
	}
}
