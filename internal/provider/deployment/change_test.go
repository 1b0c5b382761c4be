package deployment

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// setting is an attribute of a deployment and the effect of changing it.
type setting struct {
	in, name             string // The nested attribute, and an attribute in it.
	null, unknown        attr.Value
	before, after        attr.Value
	makesWrite, revision bool
}

func settings() []setting {
	str, boolean := [2]attr.Value{types.StringNull(), types.StringUnknown()}, [2]attr.Value{types.BoolNull(), types.BoolUnknown()}
	config, revision := "source_config", "source_revision_config"
	return []setting{
		{config, "build_on_push", boolean[0], boolean[1], types.BoolValue(false), types.BoolValue(true), true, false},
		{config, "custom_url", str[0], str[1], text("https://a.example.com"), text("https://b.example.com"), true, false},
		{config, "install_command", str[0], str[1], text("npm ci"), text("yarn"), true, false},
		{config, "build_command", str[0], str[1], text("npm run build"), text("yarn build"), true, false},
		{revision, "repo_ref", str[0], str[1], text("main"), text("next"), true, true},
		{revision, "graph_config_path", str[0], str[1], text("graph.json"), text("agents/graph.json"), true, true},
		{revision, "image_uri", str[0], str[1], text("r.example.com/a:1"), text("r.example.com/a:2"), true, true},
		{revision, "source_tarball_path", str[0], str[1], text("a/1.tar.gz"), text("a/2.tar.gz"), true, true},
		// Changes that replace the deployment never reach an update.
		{config, "integration_id", str[0], str[1], text("a"), text("b"), false, false},
		{config, "repo_url", str[0], str[1], text("a"), text("b"), false, false},
		{config, "deployment_type", str[0], str[1], text("dev"), text("prod"), false, false},
		{config, "listener_id", str[0], str[1], text("a"), text("b"), false, false},
		{config, "template_id", str[0], str[1], text("a"), text("b"), false, false},
		// Set by the service.
		{config, "repo_branch", str[0], str[1], text("a"), text("b"), false, false},
		{revision, "repo_commit_sha", str[0], str[1], text("a"), text("b"), false, false},
	}
}

// TestChangeOfEverySetting is the truth table: every nested attribute unchanged, changed, unknown or null.
func TestChangeOfEverySetting(t *testing.T) {
	t.Parallel()
	for _, s := range settings() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			nested := func(value attr.Value) model {
				m := imageModel(nil)
				m.SourceRevisionConfig = revisionConfig(nil)
				changed := frameworktest.Object(attributeTypes(s.in), map[string]attr.Value{s.name: value})
				if s.in == "source_config" {
					m.SourceConfig = changed
				} else {
					m.SourceRevisionConfig = changed
				}
				return m
			}
			for name, test := range map[string]struct {
				planned, state attr.Value
				changes        bool
			}{
				"same":                       {s.before, s.before, false},
				"another":                    {s.after, s.before, true},
				"unknown":                    {s.unknown, s.before, true},
				"removed":                    {s.null, s.before, false}, // The service keeps fields that aren't sent.
				"set for the first time":     {s.after, s.null, true},
				"unknown for the first time": {s.unknown, s.null, true},
				"never set":                  {s.null, s.null, false},
			} {
				c := newChange(nested(test.planned), nested(test.state), fingerprints{}, nil)
				if got, want := c.write(), test.changes && s.makesWrite; got != want {
					t.Errorf("%s: write = %t, want %t", name, got, want)
				}
				if got, want := c.revision(), test.changes && s.revision; got != want {
					t.Errorf("%s: revision = %t, want %t", name, got, want)
				}
				if c.waits() != c.revision() {
					t.Errorf("%s: waits = %t, want %t", name, c.waits(), c.revision())
				}
			}
		})
	}
}

// TestSettingsAreAll checks that the table above is complete.
func TestSettingsAreAll(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"resource_spec", "listener_config"}
	for _, nested := range []string{"source_config", "source_revision_config"} {
		for name := range attributeTypes(nested) {
			if !slices.Contains(elsewhere, name) && !slices.ContainsFunc(settings(), func(s setting) bool { return s.in == nested && s.name == name }) {
				t.Errorf("%s.%s is missing from the tables", nested, name)
			}
		}
	}
}

func TestChangeOfWholeAttributes(t *testing.T) {
	t.Parallel()
	type effects struct{ Write, Revision, Waits bool }
	state := imageModel(nil)
	unsettled := func(change func(*model)) model {
		m := imageModel(nil)
		change(&m)
		return m
	}
	for name, test := range map[string]struct {
		planned, state model
		want           effects
	}{
		"nothing": {state, state, effects{}},
		"unknown source_config": {
			unsettled(func(m *model) { m.SourceConfig = types.ObjectUnknown(attributeTypes("source_config")) }), state, effects{true, true, true},
		},
		"unknown source_revision_config": {
			unsettled(func(m *model) { m.SourceRevisionConfig = types.ObjectUnknown(attributeTypes("source_revision_config")) }), state, effects{true, true, true},
		},
		"no wait": {
			unsettled(func(m *model) {
				m.SourceRevisionConfig = revisionConfig(map[string]attr.Value{"image_uri": text("r.example.com/a:2")})
				m.WaitForDeployed = types.BoolValue(false)
			}), state, effects{true, true, false},
		},
		"what is the provider's own": {
			unsettled(func(m *model) {
				m.WaitForDeployed, m.DeletionProtection = types.BoolValue(false), types.BoolValue(true)
				m.OnFailedCreate, m.EnvironmentOwnership = text(onFailedCreateKeep), text(ownershipDeclared)
				m.SecretsWOVersion = number64(1)
			}), state, effects{},
		},
		"first triggers":  {unsettled(func(m *model) { m.Triggers = frameworktest.StringMap("a", "1") }), state, effects{}},
		"triggers change": {unsettled(func(m *model) { m.Triggers = frameworktest.StringMap("a", "2") }), unsettled(func(m *model) { m.Triggers = frameworktest.StringMap("a", "1") }), effects{true, true, true}},
		"triggers grow":   {unsettled(func(m *model) { m.Triggers = frameworktest.StringMap("a", "1") }), unsettled(func(m *model) { m.Triggers = frameworktest.StringMap() }), effects{true, true, true}},
		"triggers go":     {state, unsettled(func(m *model) { m.Triggers = frameworktest.StringMap("a", "1") }), effects{}},
		"triggers are unknown": {
			unsettled(func(m *model) { m.Triggers = types.MapUnknown(types.StringType) }), unsettled(func(m *model) { m.Triggers = frameworktest.StringMap("a", "1") }), effects{true, true, true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChange(test.planned, test.state, fingerprints{}, nil)
			if got := (effects{c.write(), c.revision(), c.waits()}); got != test.want {
				t.Errorf("change = %+v, want %+v", got, test.want)
			}
		})
	}
}

// TestChangeByStatus lists the planned effect for each status of the newest revision: nothing, a wait, or another
// revision.
func TestChangeByStatus(t *testing.T) {
	t.Parallel()
	const repair, resume, nothing = "repair", "resume", "nothing"
	want := map[api.RevisionStatus]string{
		"": resume, api.RevisionDeployed: nothing, "ROLLBACK_FAILED": repair, "FAILED": repair, "PAUSED_BY_OPERATOR": resume,
		api.RevisionCreateFailed: repair, api.RevisionBuildFailed: repair, api.RevisionDeployFailed: repair, api.RevisionSkipped: repair,
		api.RevisionCreating: resume, api.RevisionQueued: resume, api.RevisionAwaitingBuild: resume, api.RevisionBuilding: resume,
		api.RevisionAwaitingDeploy: resume, api.RevisionDeploying: resume, api.RevisionInterrupted: resume, api.RevisionUnknown: resume,
	}
	for _, status := range api.RevisionStatuses {
		if want[status] == "" {
			t.Errorf("status %s has no test case", status)
		}
	}
	for status, outcome := range want {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			for _, wait := range []bool{true, false} {
				m := imageModel(nil)
				m.WaitForDeployed = types.BoolValue(wait)
				m.LatestRevisionStatus = types.StringNull()
				if status != "" {
					m.LatestRevisionStatus = text(string(status))
				}
				c := newChange(m, m, fingerprints{}, nil)
				again := c.again.any()
				if again != (outcome == repair) || c.revision() != again || c.write() != again {
					t.Errorf("wait %t: again = %t, write = %t; want both true only for a repair", wait, again, c.write())
				}
				if c.resume != (wait && outcome == resume) {
					t.Errorf("wait %t: resume = %t, want %t", wait, c.resume, !c.resume)
				}
				if c.waits() != (wait && outcome != nothing) {
					t.Errorf("wait %t: waits = %t, want %t", wait, c.waits(), !c.waits())
				}
			}
		})
	}
}

// TestChangeWithoutRevision checks that nothing is waited for while there is no revision.
func TestChangeWithoutRevision(t *testing.T) {
	t.Parallel()
	m := imageModel(nil)
	m.LatestRevisionID, m.LatestRevisionStatus = types.StringNull(), types.StringNull()
	c := newChange(m, m, fingerprints{}, nil)
	if c.resume || c.write() {
		t.Errorf("change = %+v, want none", c)
	}
}

// TestFormattingMakesNoRequest checks that a change of white space isn't sent.
func TestFormattingMakesNoRequest(t *testing.T) {
	t.Parallel()
	written := func(json string) model {
		return imageModel(map[string]attr.Value{"resource_spec": specObject(map[string]attr.Value{
			"volumes": objectList(t, []string{"volumes"}, map[string]attr.Value{"name": text("v"), "config_map_json": jsonText(json)}),
		})})
	}
	c := newChange(written("{\n  \"name\": \"c\"\n}"), written(`{"name":"c"}`), fingerprints{}, nil)
	if c.write() || c.waits() {
		t.Errorf("change = %+v, want none", c)
	}
}
