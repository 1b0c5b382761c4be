package resourcespec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// coresOf returns a spec with numbers of cores by field; a negative number is unknown.
func coresOf(fields map[string]float64) types.Object {
	given := map[string]attr.Value{}
	for name, n := range fields {
		if given[name] = types.Float64Value(n); n < 0 {
			given[name] = types.Float64Unknown()
		}
	}
	return specObject(given)
}

func TestNewRecord(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sent types.Object
		want Record
	}{
		"no fields": {specObject(nil), Record{}},
		"no spec":   {types.ObjectNull(Types()), Record{}},
		"fields":    {specObject(map[string]attr.Value{"labels": frameworktest.StringMap(), "cpu": types.Float64Value(1)}), Record{"cpu", "labels"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, NewRecord(test.sent)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRemoved lists for each change what is removed from the service, and what the warning says is kept.
func TestRemoved(t *testing.T) {
	t.Parallel()
	null, unknown := types.ObjectNull(Types()), types.ObjectUnknown(Types())
	both := coresOf(map[string]float64{"cpu": 1, "cpu_limit": 3})
	const kept, whole = "Fields of resource_spec are kept", "resource_spec is no longer managed"
	for name, test := range map[string]struct {
		record         Record
		planned, state types.Object
		removed        []string
		warning, names string
	}{
		"nothing":                 {Record{"cpu"}, both, both, nil, "", ""},
		"never managed":           {nil, null, null, nil, "", ""},
		"recorded":                {Record{"cpu", "cpu_limit"}, coresOf(map[string]float64{"cpu": 1}), both, []string{"cpu_limit"}, "", ""},
		"two, sorted":             {Record{"cpu", "cpu_limit"}, specObject(nil), both, []string{"cpu", "cpu_limit"}, "", ""},
		"no record":               {nil, coresOf(map[string]float64{"cpu": 1}), both, nil, kept, "keeps them: cpu_limit."},
		"recorded without it":     {Record{"cpu"}, specObject(nil), both, []string{"cpu"}, kept, "keeps them: cpu_limit."},
		"a default":               {nil, specObject(nil), coresOf(map[string]float64{"cpu": 1, "cpu_limit": 2}), nil, kept, "keeps them: cpu."},
		"only a default":          {nil, coresOf(map[string]float64{"cpu": 1}), coresOf(map[string]float64{"cpu": 1, "cpu_limit": 2}), nil, "", ""},
		"an empty map":            {nil, specObject(nil), specObject(map[string]attr.Value{"labels": frameworktest.StringMap()}), nil, "", ""},
		"whole, recorded":         {Record{"cpu", "cpu_limit"}, null, both, nil, whole, "these fields: cpu, cpu_limit."},
		"whole, no record":        {nil, null, both, nil, whole, "these fields: cpu, cpu_limit."},
		"whole, empty":            {Record{}, null, specObject(nil), nil, "", ""},
		"unknown":                 {Record{"cpu", "cpu_limit"}, unknown, both, nil, "", ""},
		"a field is unknown":      {Record{"cpu", "cpu_limit"}, coresOf(map[string]float64{"cpu": 1, "cpu_limit": -1}), both, nil, "", ""},
		"gone from the service":   {Record{"cpu", "cpu_limit"}, coresOf(map[string]float64{"cpu": 1}), coresOf(map[string]float64{"cpu": 1}), nil, "", ""},
		"recorded, another added": {Record{"cpu"}, coresOf(map[string]float64{"cpu_limit": 1}), coresOf(map[string]float64{"cpu": 1}), []string{"cpu"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.removed, test.record.Removed(test.planned, test.state)); diff != "" {
				t.Errorf("removed (-want +got):\n%s", diff)
			}
			diags := test.record.WarnOfReleased(test.planned, test.state, "chat")
			var want []string
			if test.warning != "" {
				want = []string{"warning source_config.resource_spec: " + test.warning}
			}
			if diff := cmp.Diff(want, frameworktest.Lines(diags)); diff != "" {
				t.Fatalf("warnings (-want +got):\n%s", diff)
			}
			if want != nil && (!strings.Contains(diags[0].Detail(), test.names) || !strings.Contains(diags[0].Detail(), `"chat"`)) {
				t.Errorf("the warning doesn't contain %q and the name:\n%s", test.names, diags[0].Detail())
			}
		})
	}
}

// TestChangesByRemoval expects a change only if the service has more than the default of a removed field.
func TestChangesByRemoval(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		planned, state map[string]float64
		current        string // Empty if it wasn't read.
		removed        string
		want           bool
	}{
		"a limit":                          {map[string]float64{"cpu": 1}, map[string]float64{"cpu": 1, "cpu_limit": 3}, "", "cpu_limit", true},
		"a limit that is the default":      {map[string]float64{"cpu": 1}, map[string]float64{"cpu": 1, "cpu_limit": 2}, "", "cpu_limit", false},
		"a limit without its base":         {nil, map[string]float64{"cpu_limit": 2}, "", "cpu_limit", true},
		"a default of a default":           {map[string]float64{"cpu": 1}, map[string]float64{"cpu": 1, "queue_cpu_limit": 2}, "", "queue_cpu_limit", false},
		"the base of defaults":             {nil, map[string]float64{"cpu": 1}, "", "cpu", true},
		"the base stays as another's":      {nil, map[string]float64{"queue_cpu": 1}, `{"cpu":1,"queue_cpu":1}`, "queue_cpu", false},
		"already gone":                     {map[string]float64{"cpu": 1}, map[string]float64{"cpu_limit": 3}, `{"cpu":1}`, "cpu_limit", false},
		"the default of what is set now":   {map[string]float64{"cpu": 1}, map[string]float64{"cpu_limit": 3}, `{"cpu":1,"cpu_limit":2}`, "cpu_limit", false},
		"still there":                      {map[string]float64{"cpu": 1}, map[string]float64{"cpu_limit": 3}, `{"cpu":1,"cpu_limit":3}`, "cpu_limit", true},
		"it follows another value of cpu":  {map[string]float64{"cpu": 1.5}, map[string]float64{"cpu": 1, "cpu_limit": 3}, "", "cpu_limit", true},
		"a field is unknown, one removed":  {map[string]float64{"cpu": -1}, map[string]float64{"cpu": 1, "cpu_limit": 2}, "", "cpu_limit", true},
		"begins without knowing, one goes": {map[string]float64{"cpu": 1}, map[string]float64{"cpu_limit": 2}, "", "cpu_limit", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var current *api.ResourceSpec
			if test.current != "" {
				spec := specOf(t, test.current)
				current = &spec
			}
			fields, undecided := Changes(coresOf(test.planned), coresOf(test.state), current, test.removed)
			if got := undecided || len(fields) > 0; got != test.want {
				t.Errorf("changes = %t (%v), want %t", got, fields, test.want)
			}
		})
	}
}

// TestRemovalSentAndProved merges without removed fields, and accepts as proof only what the service has afterwards.
func TestRemovalSentAndProved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		current, planned string
		removed          []string
		sent             string
		proofs, refuted  []string
	}{
		"a list": {
			`{"cpu":1,"sidecars":[{"name":"a","image":"b"}],"gpu":"L4"}`, `{"cpu":1}`, []string{"sidecars"}, `{"cpu":1,"gpu":"L4"}`,
			[]string{`{"cpu":1,"gpu":"L4"}`, `{"cpu":1,"cpu_limit":2,"gpu":"L4","sidecars":[]}`, `{"cpu":1,"gpu":"L4","max_scale":2}`},
			[]string{`{"cpu":1,"sidecars":[{"name":"a","image":"b"}],"gpu":"L4"}`, `{"cpu":1}`, `{"cpu":1,"gpu":"L4","sidecars":[{"name":"c","image":"d"}]}`},
		},
		"a limit": {
			`{"cpu":1,"cpu_limit":3,"queue_cpu":1,"queue_cpu_limit":2}`, `{}`, []string{"cpu_limit"}, `{"cpu":1}`,
			[]string{`{"cpu":1}`, `{"cpu":1,"cpu_limit":2,"queue_cpu":1,"queue_cpu_limit":2}`}, []string{`{"cpu":1,"cpu_limit":3}`},
		},
		"a base": {
			`{"cpu":1,"cpu_limit":2,"queue_cpu":1,"queue_cpu_limit":2,"max_scale":3}`, `{}`, []string{"cpu"}, `{"max_scale":3}`,
			[]string{`{"max_scale":3}`, `{"max_scale":3,"queue_max_scale":3}`}, []string{`{"cpu":1,"max_scale":3}`, `{}`},
		},
		"a base, while what follows from it is explicit": {
			`{"cpu":1,"cpu_limit":2,"queue_cpu":1,"queue_cpu_limit":5}`, `{"cpu_limit":2}`, []string{"cpu"}, `{"cpu_limit":2,"queue_cpu_limit":5}`,
			[]string{`{"cpu_limit":2,"queue_cpu_limit":5}`}, []string{`{"queue_cpu_limit":5}`},
		},
		"a base in the middle": {
			`{"cpu":1,"queue_cpu":3,"queue_cpu_limit":6}`, `{}`, []string{"queue_cpu"}, `{"cpu":1}`,
			[]string{`{"cpu":1}`, `{"cpu":1,"queue_cpu":1}`}, []string{`{"cpu":1,"queue_cpu":3}`},
		},
		"with a change": {
			`{"cpu":1,"cpu_limit":3,"service_account_name":"a"}`, `{"cpu":2}`, []string{"cpu_limit", "service_account_name"}, `{"cpu":2}`,
			[]string{`{"cpu":2,"cpu_limit":4}`, `{"cpu":2,"service_account_name":""}`},
			[]string{`{"cpu":2,"cpu_limit":3}`, `{"cpu":1}`, `{"cpu":2,"service_account_name":"a"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := merged(specOf(t, test.current), specOf(t, test.planned), test.removed...)
			if diff := cmp.Diff(rawFields(t, specOf(t, test.sent)), rawFields(t, sent)); diff != "" {
				t.Fatalf("sent (-want +got):\n%s", diff)
			}
			for _, proof := range test.proofs {
				if Differ(sent, specOf(t, proof), test.removed...) {
					t.Errorf("%s doesn't prove %s, want it to", proof, jsonOf(t, sent))
				}
			}
			for _, refuted := range test.refuted {
				if !Differ(sent, specOf(t, refuted), test.removed...) {
					t.Errorf("%s proves %s, want it not to", refuted, jsonOf(t, sent))
				}
			}
		})
	}
}

// TestRemovalOfEveryField removes each field of generated specs: the spec sent lacks it and has every other one, and what the
// service makes of it is the proof.
func TestRemovalOfEveryField(t *testing.T) {
	t.Parallel()
	eachSpec(t, 6, true, func(t *testing.T, _ int64, spec types.Object) {
		t.Helper()
		current, _, _ := ToAPI(spec)
		for _, name := range NewRecord(spec) {
			given := map[string]attr.Value{}
			for other, value := range spec.Attributes() {
				if other != name {
					given[other] = value
				}
			}
			planned := specObject(given)
			removed := NewRecord(spec).Removed(planned, spec)
			if diff := cmp.Diff([]string{name}, removed); diff != "" {
				t.Fatalf("removed (-want +got):\n%s", diff)
			}
			full := withDefaults(current)
			sent, diags := Merge(&full, planned, removed...)
			frameworktest.NoDiags(t, diags)
			wanted, _, _ := ToAPI(planned)
			if diff := cmp.Diff(rawFields(t, wanted), rawFields(t, sent)); diff != "" {
				t.Fatalf("without %s (-want +got):\n%s", name, diff)
			}
			if Differ(sent, withDefaults(sent), removed...) || Differ(sent, sent, removed...) {
				t.Errorf("a read without %s doesn't prove that it was removed", name)
			}
		}
	})
}

func TestRemoved_seen(t *testing.T) {
	t.Parallel()
	one, two := int64(1), int64(2)
	account, other := "a", "b"
	before := api.ResourceSpec{MinScale: &one, ServiceAccountName: &account}
	for name, test := range map[string]struct {
		now    api.ResourceSpec
		fields []string
		want   bool
	}{
		"nothing removed":      {api.ResourceSpec{}, nil, false},
		"still there":          {before, []string{"min_scale"}, false},
		"gone":                 {api.ResourceSpec{ServiceAccountName: &account}, []string{"min_scale"}, true},
		"a default":            {api.ResourceSpec{MinScale: &two}, []string{"min_scale"}, true},
		"another field gone":   {api.ResourceSpec{MinScale: &one}, []string{"min_scale"}, false},
		"one of two remains":   {api.ResourceSpec{MinScale: &one}, []string{"min_scale", "service_account_name"}, false},
		"both gone or changed": {api.ResourceSpec{ServiceAccountName: &other}, []string{"min_scale", "service_account_name"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Removed(before, test.now, test.fields); got != test.want {
				t.Errorf("Removed() = %t, want %t", got, test.want)
			}
		})
	}
}
