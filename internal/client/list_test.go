package client

import (
	"context"
	"encoding/json"
	"errors"
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

// TestIDs reads objects in which an ID isn't a UUID: each operation refuses it, and names the field. A service may leave an ID out, or spell
// it in another way, and write integers with a fraction.
func TestIDs(t *testing.T) {
	t.Parallel()
	const id = "d0000001-0000-4000-8000-000000000000"
	one := func(ctx context.Context, c *Client) error { _, err := c.Deployments().Get(ctx, id); return err }
	list := func(ctx context.Context, c *Client) error {
		_, err := Collect(c.ListDeployments(ctx, DeploymentFilter{}))
		return err
	}
	create := func(ctx context.Context, c *Client) error {
		_, _, err := c.CreateDeployment(ctx, api.DeploymentCreateRequest{Name: "chat"})
		return err
	}
	query := func(ctx context.Context, c *Client) error { _, err := c.QueryRuns(ctx, api.RunQuery{}, 10); return err }
	for name, test := range map[string]struct {
		call          func(context.Context, *Client) error
		body, refuses string // Empty: accepted.
	}{
		"a path":          {one, `{"id": "../../v1/x"}`, "id"},
		"of another kind": {one, `{"id": "` + id + `", "latest_revision_id": "x"}`, "latest_revision_id"},
		"too short":       {one, `{"id": "` + id + `", "active_revision_id": "d0000001-0000-4000-8000-00000000000"}`, "active_revision_id"},
		"nested":          {one, `{"id": "` + id + `", "source_config": {"integration_id": "x"}}`, "integration_id"},
		"in a list":       {list, `[{"id": "` + id + `"}, {"id": "` + id + `", "tenant_id": "x"}]`, "tenant_id"},
		"created":         {create, `{"id": "x"}`, "id"},
		"on a page":       {query, `{"items": [{"id": "` + id + `", "trace_id": "x"}]}`, "trace_id"},
		"left out":        {one, `{"id": "D0000001-0000-4000-8000-000000000000", "tenant_id": null, "latest_revision_id": ""}`, ""},
		"without dashes":  {one, `{"id": "d0000001000040008000000000000000"}`, ""},
		"a fraction":      {one, `{"id": "` + id + `", "source_config": {"resource_spec": {"max_scale": 2.0}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, answerWith(http.StatusOK, test.body))
			err := test.call(t.Context(), c)
			if (err == nil) != (test.refuses == "") || err != nil && (!strings.Contains(err.Error(), "its "+test.refuses+" is ") || !strings.Contains(err.Error(), "which is not a UUID")) {
				t.Errorf("error = %v, want one that names %q", err, test.refuses)
			}
		})
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
