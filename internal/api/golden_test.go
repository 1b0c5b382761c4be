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

// golden is a body in testdata, written by hand from the service's documentation. Of a file with several bodies, its name ends with that of
// the body.
type golden struct {
	new func() any
	// nullable allows encoding to omit nulls: in types that requests and responses share, a null means that the field isn't
	// set, and requests omit such fields.
	nullable bool
}

var goldens = map[string]golden{
	"deployments/git_host":                           {new: into[api.Deployment]},
	"deployments/external_container":                 {new: into[api.Deployment], nullable: true},
	"deployments/empty list":                         {new: into[api.List[api.Deployment]]},
	"deployments/create git_host, minimal":           {new: into[api.DeploymentCreateRequest]},
	"deployments/create git_host, full":              {new: into[api.DeploymentCreateRequest]},
	"deployments/create external_container, minimal": {new: into[api.DeploymentCreateRequest]},
	"deployments/create external_container, full":    {new: into[api.DeploymentCreateRequest]},
	"deployments/patch nothing":                      {new: into[api.DeploymentPatchRequest]},
	"deployments/patch null":                         {new: into[api.DeploymentPatchRequest]},
	"deployments/patch null inside":                  {new: into[api.DeploymentPatchRequest]},
	"deployments/patch empty objects":                {new: into[api.DeploymentPatchRequest]},
	"deployments/patch values":                       {new: into[api.DeploymentPatchRequest]},
	"revisions/one":                                  {new: into[api.Revision]},
	"revisions/list":                                 {new: into[api.List[api.Revision]]},
	"listeners/list":                                 {new: into[api.List[api.Listener]]},
	"listeners/array":                                {new: into[[]api.Listener]},
	"listeners/create minimal":                       {new: into[api.ListenerCreateRequest]},
	"listeners/create full":                          {new: into[api.ListenerCreateRequest]},
	"listeners/patch":                                {new: into[api.ListenerPatchRequest]},
	"integrations":                                   {new: into[[]api.Integration]},
	"repositories":                                   {new: into[[]api.Repository]},
	"oauth_providers/create minimal":                 {new: into[api.OAuthProviderCreateRequest]},
	"oauth_providers/create full":                    {new: into[api.OAuthProviderCreateRequest]},
	"oauth_providers/update":                         {new: into[api.OAuthProviderUpdateRequest]},
	"oauth_providers/array":                          {new: into[[]api.OAuthProviderResponse]},
	"oauth_providers/deleted":                        {new: into[api.MessageResponse]},
	"revisions/logs":                                 {new: into[api.LogsResponse]},
	"revisions/end of logs":                          {new: into[api.LogsResponse]},
	"tracing_projects/array":                         {new: into[[]api.TracingProject]},
	"runs/query":                                     {new: into[api.RunQuery]},
	"runs/page":                                      {new: into[api.RunPage]},
	"runs/ingest":                                    {new: into[api.RunIngest]},
	"runs/query of statistics":                       {new: into[api.RunStatsQuery]},
	"runs/statistics":                                {new: into[api.RunStats]},
	"model_prices/array":                             {new: into[[]api.ModelPrice]},
	"model_prices/create":                            {new: into[api.ModelPriceRequest]},
	"errors/400":                                     {new: into[api.ErrorDetail]},
	"errors/422":                                     {new: into[api.HTTPValidationError]},
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
	var got []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if _, single := goldens[name]; single {
			got = append(got, name)
			continue
		}
		for body := range bodies(t, name) {
			got = append(got, name+"/"+body)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(goldens)), got); diff != "" {
		t.Errorf("bodies in testdata (-tested +present):\n%s", diff)
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

// read returns a body in testdata.
func read(t *testing.T, name string) []byte {
	t.Helper()
	file, body, several := strings.Cut(name, "/")
	if several {
		return bodies(t, file)[body]
	}
	return readFile(t, file)
}

// bodies returns those of a file with several.
func bodies(t *testing.T, file string) (byName map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, file), &byName); err != nil {
		t.Fatal(err)
	}
	return byName
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return content
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
