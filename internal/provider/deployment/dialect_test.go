package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// TestNewModel_othersSettings expects values that the service returns for settings of other sources to be ignored.
func TestNewModel_othersSettings(t *testing.T) {
	t.Parallel()
	yes, image := true, "registry.example.com/built:1"
	prod := api.DeploymentTypeProd
	for _, test := range []struct {
		source api.Source
		prior  model
		want   map[string]bool // The attributes that are null.
	}{
		{api.SourceExternalContainer, imageModel(nil), map[string]bool{"deployment_type": true, "build_on_push": true, "image_uri": false}},
		{api.SourceGitHost, gitModel(nil, nil), map[string]bool{"deployment_type": false, "build_on_push": false, "image_uri": true}},
	} {
		m := newModel(test.prior, api.Deployment{
			ID: "d1", Name: "chat", Source: test.source,
			SourceConfig:         api.SourceConfig{DeploymentType: &prod, BuildOnPush: &yes},
			SourceRevisionConfig: api.SourceRevisionConfig{ImageURI: &image},
		}, api.RevisionDeployed, fingerprints{})
		got := map[string]bool{}
		for name := range test.want {
			value, there := m.SourceConfig.Attributes()[name]
			if !there {
				value = m.SourceRevisionConfig.Attributes()[name]
			}
			got[name] = value.IsNull()
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: null (-want +got):\n%s", test.source, diff)
		}
	}
}

func TestRefuseEmptied(t *testing.T) {
	t.Parallel()
	empty, unknown := frameworktest.StringMap(), types.MapUnknown(types.StringType)
	null := types.MapNull(types.StringType)
	current := imageModel(nil)
	current.EnvironmentNames = nameSet(func(yield func(string) bool) { yield("A") })
	for name, test := range map[string]struct {
		dialect              *api.Dialect
		environment, secrets types.Map
		ownership            string
		state                model
		unchanged            bool
		want                 []string
	}{
		"emptied":                {dialect: api.LangSmith, environment: empty, secrets: null, state: current, want: []string{"error environment: Environment can't be emptied"}},
		"emptied secrets":        {dialect: api.LangSmith, environment: null, secrets: empty, state: current, want: []string{"error secrets: Environment can't be emptied"}},
		"both":                   {dialect: api.LangSmith, environment: empty, secrets: empty, state: current, want: []string{"error environment: Environment can't be emptied"}},
		"one is left":            {dialect: api.LangSmith, environment: frameworktest.StringMap("A", "1"), secrets: empty, state: current},
		"not known":              {dialect: api.LangSmith, environment: empty, secrets: unknown, state: current},
		"empty before":           {dialect: api.LangSmith, environment: empty, secrets: null, state: imageModel(nil)},
		"others may be left":     {dialect: api.LangSmith, environment: empty, secrets: null, ownership: ownershipDeclared, state: current},
		"nothing is to be sent":  {dialect: api.LangSmith, environment: empty, secrets: null, state: current, unchanged: true},
		"the service empties it": {dialect: api.Neutral, environment: empty, secrets: null, state: current},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := imageModel(nil)
			planned.Environment, planned.Secrets = test.environment, test.secrets
			if test.ownership != "" {
				planned.EnvironmentOwnership = text(test.ownership)
			}
			c := change{environment: because("environment")}
			if test.unchanged {
				c = change{}
			}
			got := frameworktest.Lines(refuseEmptied(test.dialect, planned, c, test.state))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReplaces(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*model)
		want   bool
	}{
		"nothing":     {func(*model) {}, false},
		"the name":    {func(m *model) { m.Name = text("other") }, true},
		"the source":  {func(m *model) { m.Source = text("git_host") }, true},
		"who sees it": {func(m *model) { m.Shareable = types.BoolValue(true) }, true},
		"the listener": {func(m *model) {
			m.SourceConfig = frameworktest.Object(attributeTypes("source_config"), map[string]attr.Value{"listener_id": text("other")})
		}, true},
		"a command": {func(m *model) {
			m.SourceConfig = frameworktest.Object(attributeTypes("source_config"), map[string]attr.Value{"build_command": text("make")})
		}, false},
		"a name that isn't known":      {func(m *model) { m.Name = types.StringUnknown() }, false},
		"settings that aren't known":   {func(m *model) { m.SourceConfig = types.ObjectUnknown(attributeTypes("source_config")) }, false},
		"whether that is isn't known":  {func(m *model) { m.Shareable = types.BoolUnknown() }, false},
		"what an update can bring too": {func(m *model) { m.Environment = frameworktest.StringMap("A", "1") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := imageModel(nil)
			test.change(&planned)
			if got := len(planned.replacing(imageModel(nil))) > 0; got != test.want {
				t.Errorf("replaces = %t, want %t", got, test.want)
			}
		})
	}
}

func TestRefuseReserved(t *testing.T) {
	t.Parallel()
	variables := frameworktest.StringMap("PORT", "1", "LANGSMITH_API_KEY", "2", "OURS", "3")
	const port, key = `error environment["PORT"]: Reserved variable`, `error environment["LANGSMITH_API_KEY"]: Reserved variable`
	for name, test := range map[string]struct {
		dialect   *api.Dialect
		source    types.String
		variables types.Map
		want      []string
	}{
		"on own hosts":           {api.LangSmith, text("external_container"), variables, []string{port}},
		"in the cloud":           {api.LangSmith, text("git_host"), variables, []string{key, port}},
		"the source isn't known": {api.LangSmith, types.StringUnknown(), variables, nil},
		"the map isn't known":    {api.LangSmith, text("git_host"), types.MapUnknown(types.StringType), nil},
		"no map":                 {api.LangSmith, text("git_host"), types.MapNull(types.StringType), nil},
		"nothing is reserved":    {api.Neutral, text("git_host"), variables, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := imageModel(nil)
			m.Source, m.Environment = test.source, test.variables
			if diff := cmp.Diff(test.want, frameworktest.Lines(refuseReserved(test.dialect, m))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
