package api_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// golden is a body in testdata, written by hand from the service's documentation.
type golden struct {
	new func() any
	// nullable allows encoding to omit nulls: in types that requests and responses share, a null means that the field isn't
	// set, and requests omit such fields.
	nullable bool
}

var goldens = map[string]golden{
	"deployment_git_host.json":               {new: into[api.Deployment]},
	"deployment_external_container.json":     {new: into[api.Deployment], nullable: true},
	"deployments_list_empty.json":            {new: into[api.List[api.Deployment]]},
	"create_git_host_minimal.json":           {new: into[api.DeploymentCreateRequest]},
	"create_git_host_full.json":              {new: into[api.DeploymentCreateRequest]},
	"create_external_container_minimal.json": {new: into[api.DeploymentCreateRequest]},
	"create_external_container_full.json":    {new: into[api.DeploymentCreateRequest]},
	"patch_absent.json":                      {new: into[api.DeploymentPatchRequest]},
	"patch_null.json":                        {new: into[api.DeploymentPatchRequest]},
	"patch_null_inside.json":                 {new: into[api.DeploymentPatchRequest]},
	"patch_empty_objects.json":               {new: into[api.DeploymentPatchRequest]},
	"patch_value.json":                       {new: into[api.DeploymentPatchRequest]},
	"revision.json":                          {new: into[api.Revision]},
	"revisions_list.json":                    {new: into[api.List[api.Revision]]},
	"listeners_list.json":                    {new: into[api.List[api.Listener]]},
	"listeners_array.json":                   {new: into[[]api.Listener]},
	"listener_create_minimal.json":           {new: into[api.ListenerCreateRequest]},
	"listener_create_full.json":              {new: into[api.ListenerCreateRequest]},
	"listener_patch.json":                    {new: into[api.ListenerPatchRequest]},
	"integrations.json":                      {new: into[[]api.Integration]},
	"repositories.json":                      {new: into[[]api.Repository]},
	"oauth_provider_create_minimal.json":     {new: into[api.OAuthProviderCreateRequest]},
	"oauth_provider_create_full.json":        {new: into[api.OAuthProviderCreateRequest]},
	"oauth_provider_update.json":             {new: into[api.OAuthProviderUpdateRequest]},
	"oauth_providers.json":                   {new: into[[]api.OAuthProviderResponse]},
	"oauth_provider_deleted.json":            {new: into[api.MessageResponse]},
	"revision_logs.json":                     {new: into[api.LogsResponse]},
	"revision_logs_end.json":                 {new: into[api.LogsResponse]},
	"tracing_projects.json":                  {new: into[[]api.TracingProject]},
	"tracing_project_create.json":            {new: into[api.TracingProjectCreateRequest]},
	"tracing_project_patch.json":             {new: into[api.TracingProjectPatchRequest]},
	"run_query.json":                         {new: into[api.RunQuery]},
	"run_page.json":                          {new: into[api.RunPage]},
	"run_ingest.json":                        {new: into[api.RunIngest]},
	"run_stats_query.json":                   {new: into[api.RunStatsQuery]},
	"run_stats.json":                         {new: into[api.RunStats]},
	"model_prices.json":                      {new: into[[]api.ModelPrice]},
	"model_price_create.json":                {new: into[api.ModelPriceRequest]},
	"error_400.json":                         {new: into[api.ErrorDetail]},
	"error_422.json":                         {new: into[api.HTTPValidationError]},
}

func into[T any]() any { return new(T) }

// TestGoldens decodes each body and encodes it again. Nothing may be lost or added.
func TestGoldens(t *testing.T) {
	t.Parallel()
	for name, g := range goldens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := read(t, name)
			value := g.new()
			strict := json.NewDecoder(bytes.NewReader(body))
			// It doesn't apply within a type that has its own UnmarshalJSON. There, the comparison finds the missing fields.
			strict.DisallowUnknownFields()
			if err := strict.Decode(value); err != nil {
				t.Fatal(err)
			}
			encoded, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			want, got := tree(t, body), tree(t, encoded)
			if g.nullable {
				want = withoutNullsMissingIn(got, want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("encoded again (-golden +encoded):\n%s", diff)
			}

			again := g.new()
			if err := json.Unmarshal(encoded, again); err != nil {
				t.Fatal(err)
			}
			// Encoding removes the white space of free-form objects, so compare the second encoding with the first.
			if second, err := json.Marshal(again); err != nil || !bytes.Equal(second, encoded) {
				t.Errorf("second encoding = %s, %v; want the first, %s", second, err, encoded)
			}
		})
	}
}

// TestGoldensHaveEveryField checks that the bodies of a type have all fields that its table has, so that a new one is copied into them, too.
func TestGoldensHaveEveryField(t *testing.T) {
	t.Parallel()
	have := map[reflect.Type]map[string]any{}
	for name, g := range goldens {
		shape := reflect.TypeOf(g.new()).Elem()
		if body, is := tree(t, read(t, name)).(map[string]any); is && tables[shape] != "" {
			if have[shape] == nil {
				have[shape] = map[string]any{}
			}
			maps.Copy(have[shape], body)
		}
	}
	for shape, body := range have {
		for _, field := range reflect.VisibleFields(shape) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if _, has := body[name]; !has && name != "-" && !api.IsExtension(field) {
				t.Errorf("no body of a %s in testdata has %s", shape.Name(), name)
			}
		}
	}
}

func TestEveryGoldenIsTested(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, file := range files {
		got = append(got, filepath.Base(file))
	}
	for name := range goldens {
		want = append(want, name)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files in testdata (-tested +present):\n%s", diff)
	}
}

// TestAbsentIsNull decodes a deployment without any optional fields: absent is the same as null.
func TestAbsentIsNull(t *testing.T) {
	t.Parallel()
	const least = `{"name":"chat","source":"git_host","source_config":{},"source_revision_config":{},"secrets":[],
		"id":"d1","created_at":"2026-05-02T10:00:00Z","updated_at":"2026-05-02T10:00:00Z","status":"PAUSED"}`
	var got api.Deployment
	if err := json.Unmarshal([]byte(least), &got); err != nil {
		t.Fatal(err)
	}
	want := api.Deployment{
		Name: "chat", Source: api.SourceGitHost, Secrets: []api.Secret{}, ID: "d1",
		CreatedAt: "2026-05-02T10:00:00Z", UpdatedAt: "2026-05-02T10:00:00Z",
		Status: "PAUSED", // A status that this version doesn't know.
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestZeroRequests checks that a zero request sends no field that wasn't set.
func TestZeroRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value any
		want  string
	}{
		{api.DeploymentPatchRequest{}, `{}`},
		{api.SourceConfigRequest{}, `{}`},
		{api.SourceRevisionConfigRequest{}, `{}`},
		{api.ResourceSpec{}, `{}`},
		{api.ListenerConfig{}, `{}`},
		{api.ListenerPatchRequest{}, `{}`},
		{api.ListenerComputeConfigRequest{}, `{}`},
		{api.OAuthProviderUpdateRequest{}, `{}`},
		{api.Volume{Name: "a"}, `{"name":"a"}`},
		{api.VolumeMount{Name: "a", MountPath: "/a"}, `{"name":"a","mountPath":"/a"}`},
		{api.Container{Name: "a", Image: "b"}, `{"name":"a","image":"b"}`},
		{api.EnvVar{Name: "A"}, `{"name":"A"}`},
		{api.ResourceRequirements{}, `{}`},
	} {
		got, err := json.Marshal(test.value)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != test.want {
			t.Errorf("%T = %s, want %s", test.value, got, test.want)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// tree decodes JSON and keeps every digit of a number.
func tree(t *testing.T, body []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// withoutNullsMissingIn removes those nulls from want whose keys got doesn't have.
func withoutNullsMissingIn(got, want any) any {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		kept := map[string]any{}
		for name, value := range w {
			if there, ok := g[name]; ok || value != nil {
				kept[name] = withoutNullsMissingIn(there, value)
			}
		}
		return kept
	case []any:
		g, _ := got.([]any)
		kept := make([]any, len(w))
		for i, value := range w {
			var there any
			if i < len(g) {
				there = g[i]
			}
			kept[i] = withoutNullsMissingIn(there, value)
		}
		return kept
	default:
		return want
	}
}
