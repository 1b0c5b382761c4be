package deployment

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// with returns a model after some changes.
func with(m model, changes ...func(*model)) model {
	for _, change := range changes {
		change(&m)
	}
	return m
}

func version(n types.Int64) func(*model) { return func(m *model) { m.SecretsWOVersion = n } }

func ofImage(uri types.String) func(*model) {
	return func(m *model) { m.SourceRevisionConfig = revisionConfig(map[string]attr.Value{"image_uri": uri}) }
}

func owned(ownership types.String) func(*model) {
	return func(m *model) { m.EnvironmentOwnership = ownership }
}

func triggers(values types.Map) func(*model) { return func(m *model) { m.Triggers = values } }

func status(of api.RevisionStatus) func(*model) {
	return func(m *model) { m.LatestRevisionStatus = text(string(of)) }
}

func spec(fields map[string]attr.Value) model {
	return imageModel(map[string]attr.Value{"resource_spec": specObject(fields)})
}

// TestReasons lists what a plan gives as reasons; "?" means that they are unknown.
func TestReasons(t *testing.T) {
	t.Parallel()
	const imageURI = "source_revision_config.image_uri"
	undecided := []string{"?"}
	newImage, unknownText := ofImage(text("registry.example.com/chat:2")), types.StringUnknown()
	labels := func(team string) map[string]attr.Value {
		return map[string]attr.Value{"labels": frameworktest.StringMap("team", team)}
	}
	secrets := func(values map[string]attr.Value) model {
		return with(imageModel(nil), func(m *model) { m.SecretsWO = types.MapValueMust(types.StringType, values) })
	}
	writeOnly := func(pairs ...string) model { return environmentOf(nil, nil, pairs) }
	one := number64(1)
	for name, test := range map[string]struct {
		planned, state model
		prints         fingerprints
		want           []string
	}{
		"nothing":    {imageModel(nil), imageModel(nil), accepted(), nil},
		"an image":   {with(imageModel(nil), newImage), imageModel(nil), accepted(), []string{imageURI}},
		"several":    {with(writeOnly("Z", "1", "A", "1"), newImage), imageModel(nil), accepted(), []string{`secrets_wo["A"]`, `secrets_wo["Z"]`, imageURI}},
		"unknown":    {with(imageModel(nil), ofImage(unknownText)), imageModel(nil), accepted(), undecided},
		"whole":      {with(imageModel(nil), func(m *model) { m.SourceConfig = types.ObjectUnknown(attributeTypes("source_config")) }), imageModel(nil), accepted(), undecided},
		"a failure":  {imageModel(nil), with(imageModel(nil), status(api.RevisionDeployFailed)), accepted(), []string{reasonFailed}},
		"also":       {with(imageModel(nil), newImage), with(imageModel(nil), status(api.RevisionDeployFailed)), accepted(), []string{reasonFailed, imageURI}},
		"a wait":     {imageModel(nil), with(imageModel(nil), status(api.RevisionDeploying)), accepted(), nil},
		"a label":    {spec(labels("b")), spec(labels("a")), accepted(), []string{"source_config.resource_spec.labels"}},
		"same label": {spec(labels("a")), spec(labels("a")), accepted(), nil},
		"a new field of the spec": {
			spec(map[string]attr.Value{"cpu": types.Float64Value(2)}), spec(nil), accepted(), undecided, // The service may already have it.
		},
		"an unknown field of the spec": {
			spec(map[string]attr.Value{"cpu": types.Float64Unknown()}), spec(map[string]attr.Value{"cpu": types.Float64Value(1)}), accepted(), undecided,
		},
		"triggers": {
			with(imageModel(nil), triggers(frameworktest.StringMap("same", "1", "changed", "2", `new "one"`, "3"))),
			with(imageModel(nil), triggers(frameworktest.StringMap("same", "1", "changed", "1", "old", "1"))), accepted(),
			[]string{`triggers["changed"]`, `triggers["new \"one\""]`, `triggers["old"]`},
		},
		"unknown triggers": {
			with(imageModel(nil), triggers(types.MapUnknown(types.StringType))), with(imageModel(nil), triggers(frameworktest.StringMap("a", "1"))), accepted(), undecided,
		},
		"an unknown trigger": {
			with(imageModel(nil), triggers(types.MapValueMust(types.StringType, map[string]attr.Value{"a": unknownText}))),
			with(imageModel(nil), triggers(frameworktest.StringMap("a", "1"))), accepted(), undecided,
		},
		"triggers for the first time": {with(imageModel(nil), triggers(types.MapUnknown(types.StringType))), imageModel(nil), accepted(), nil},

		"variables": {
			environmentOf([]string{"NEW", "1", "SAME", "1"}, []string{"S", "2"}, nil), environmentOf([]string{"SAME", "1", "OLD", "1"}, []string{"S", "1"}, nil),
			accepted("SAME", "1", "OLD", "1", "S", "1"), []string{`environment["NEW"]`, `environment["OLD"]`, `secrets["S"]`},
		},
		"a write-only variable goes": {writeOnly("A", "1"), imageModel(nil), accepted("A", "1", "OLD", "1"), []string{`secrets_wo["OLD"]`}},
		"somebody else's": {
			writeOnly("A", "1"), imageModel(nil), accepted("A", "1").holding(secretsOf("A", "1", "X", "9")), []string{`environment_names["X"]`},
		},
		"somebody else's, with an unknown ownership": {
			with(writeOnly("A", "1"), owned(unknownText)), imageModel(nil), accepted("A", "1").holding(secretsOf("A", "1", "X", "9")), undecided,
		},
		"somebody else's, preserved": {
			with(writeOnly("A", "1"), owned(text(ownershipDeclared))), imageModel(nil), accepted("A", "1").holding(secretsOf("A", "1", "X", "9")), nil,
		},
		"an unknown value":      {secrets(map[string]attr.Value{"A": unknownText}), imageModel(nil), accepted("A", "1"), undecided},
		"an unknown new value":  {secrets(map[string]attr.Value{"A": unknownText}), imageModel(nil), accepted(), []string{`secrets_wo["A"]`}},
		"an environment unread": {environmentOf([]string{}, nil, nil), imageModel(nil), fingerprints{}, []string{"environment_names"}},

		// Values of secrets_wo count only alone: they may be others when the plan is applied.
		"a rotated secret":                   {writeOnly("A", "2"), imageModel(nil), accepted("A", "1"), []string{`secrets_wo["A"]`}},
		"a rotated secret and an image":      {with(writeOnly("A", "2"), newImage), imageModel(nil), accepted("A", "1"), []string{imageURI}},
		"an unknown secret and an image":     {with(secrets(map[string]attr.Value{"A": unknownText}), newImage), imageModel(nil), accepted("A", "1"), []string{imageURI}},
		"a rotated secret and a failure":     {writeOnly("A", "2"), with(imageModel(nil), status(api.RevisionDeployFailed)), accepted("A", "1"), []string{reasonFailed}},
		"a rotated secret and a variable":    {environmentOf([]string{"B", "2"}, nil, []string{"A", "2"}), imageModel(nil), accepted("A", "1", "B", "1"), []string{`environment["B"]`}},
		"a rotated secret and an unknown":    {with(writeOnly("A", "2"), ofImage(unknownText)), imageModel(nil), accepted("A", "1"), undecided},
		"unknown secrets and an image":       {with(imageModel(nil), newImage, func(m *model) { m.SecretsWO = types.MapUnknown(types.StringType) }), imageModel(nil), accepted("A", "1"), undecided},
		"a version":                          {with(writeOnly("A", "1"), version(number64(2))), with(imageModel(nil), version(one)), accepted("A", "1"), []string{"secrets_wo_version"}},
		"a version and a value":              {with(writeOnly("A", "2"), version(number64(2)), newImage), with(imageModel(nil), version(one)), accepted("A", "1"), []string{"secrets_wo_version", imageURI}},
		"a value without another version":    {with(writeOnly("A", "2"), version(one)), with(imageModel(nil), version(one)), accepted("A", "1"), nil},
		"a name without another version":     {with(writeOnly("A", "2", "B", "1"), version(one)), with(imageModel(nil), version(one)), accepted("A", "1"), []string{`secrets_wo["B"]`}},
		"an unknown version":                 {with(writeOnly("A", "1"), version(types.Int64Unknown())), with(imageModel(nil), version(one)), accepted("A", "1"), undecided},
		"a first version and another value":  {with(writeOnly("A", "2"), version(one), newImage), imageModel(nil), accepted("A", "1"), []string{imageURI}},
		"no longer managed":                  {imageModel(nil), writeOnly("A", "1"), accepted("A", "1"), nil},
		"moved to another map":               {environmentOf([]string{"A", "1"}, nil, nil), imageModel(nil), accepted("A", "1"), nil},
		"a version that goes":                {writeOnly("A", "1"), with(imageModel(nil), version(one)), accepted("A", "1"), nil},
		"a version that goes, another value": {writeOnly("A", "2"), with(imageModel(nil), version(one)), accepted("A", "1"), []string{`secrets_wo["A"]`}},
		"the same version, another map": {
			with(environmentOf([]string{"B", "3"}, nil, []string{"A", "2"}), version(one)), with(imageModel(nil), version(one)), accepted("A", "1", "B", "2"),
			[]string{`environment["B"]`},
		},
		"a setting that makes no new revision": {with(imageModel(map[string]attr.Value{"custom_url": text("https://a.example.com")})), imageModel(nil), accepted(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChange(test.planned, test.state, test.prints, nil)
			got := c.reasons()
			slices.Sort(got.changes)
			if got.undecided {
				got.changes = undecided
			}
			if diff := cmp.Diff(test.want, got.changes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.revision() != (test.want != nil) {
				t.Errorf("revision = %t, want one if and only if there is a reason", c.revision())
			}
		})
	}
}

// TestReferencesReasons checks that only the service knows whether references that are new in the configuration change it.
func TestReferencesReasons(t *testing.T) {
	t.Parallel()
	reference := func(key types.String) types.Map {
		return types.MapValueMust(referenceType(), map[string]attr.Value{"R": types.ObjectValueMust(
			map[string]attr.Type{"secret_name": types.StringType, "secret_key": types.StringType},
			map[string]attr.Value{"secret_name": text("s"), "secret_key": key})})
	}
	none, a, b := types.MapValueMust(referenceType(), nil), reference(text("a")), reference(text("b"))
	changed := []string{`secret_references["R"]`}
	for name, test := range map[string]struct {
		planned, state types.Map
		current        []api.SecretReference
		want           reasons
	}{
		"not managed":                {noReferences(), a, nil, reasons{}},
		"the same":                   {a, a, nil, reasons{}},
		"changed":                    {b, a, nil, because(changed...)},
		"added":                      {a, none, nil, because(changed...)},
		"removed":                    {none, a, nil, because(changed...)},
		"unknown":                    {types.MapUnknown(referenceType()), a, nil, reasons{undecided: true}},
		"partly unknown":             {reference(types.StringUnknown()), a, nil, reasons{undecided: true}},
		"managed now, not reported":  {a, noReferences(), nil, reasons{changed, true}},
		"managed now, none":          {none, noReferences(), nil, reasons{[]string{"secret_references"}, true}},
		"managed now, as it was":     {a, noReferences(), []api.SecretReference{{Name: "R", SecretName: "s", SecretKey: "a"}}, reasons{}},
		"managed now, other there":   {b, noReferences(), []api.SecretReference{{Name: "R", SecretName: "s", SecretKey: "a"}}, reasons{changed, true}},
		"managed now, nothing there": {none, noReferences(), []api.SecretReference{}, reasons{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := referencesReasons(test.planned, test.state, test.current)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(reasons{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlannedReasons_unconfigured checks that a provider whose configuration is unknown, and so the dialect, promises no reasons.
func TestPlannedReasons_unconfigured(t *testing.T) {
	t.Parallel()
	r, state := &framework.ProviderData{}, imageModel(nil)
	if got := plannedReasons(r, state, change{again: because(reasonFailed)}); !got.IsUnknown() {
		t.Errorf("revision_reasons = %s, want them unknown", got)
	}
	if got := plannedReasons(r, state, change{}); !got.IsNull() {
		t.Errorf("revision_reasons without a revision = %s, want them as in the state", got)
	}
}
