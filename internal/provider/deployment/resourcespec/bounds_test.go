package resourcespec

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

// numeric returns n as a value of the field's type.
func numeric(name string, n float64) attr.Value {
	if Types()[name].Equal(types.Int64Type) {
		return types.Int64Value(int64(n))
	}
	return types.Float64Value(n)
}

// TestBounds tests every pair of fields of which one limits the other.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, pair := range bounds {
		t.Run(pair[0], func(t *testing.T) {
			t.Parallel()
			at := "error source_config.resource_spec." + pair[0] + ": Value exceeds limit"
			for name, test := range map[string]struct {
				low, high attr.Value
				want      []string
			}{
				"in order":      {numeric(pair[0], 1), numeric(pair[1], 2), nil},
				"equal":         {numeric(pair[0], 2), numeric(pair[1], 2), nil},
				"crossed":       {numeric(pair[0], 3), numeric(pair[1], 2), []string{at}},
				"low is open":   {framework.NullOf(Types()[pair[0]]), numeric(pair[1], 2), nil},
				"high is open":  {numeric(pair[0], 3), framework.NullOf(Types()[pair[1]]), nil},
				"low unknown":   {unknownOf(t, Types()[pair[0]]), numeric(pair[1], 2), nil},
				"high unknown":  {numeric(pair[0], 3), unknownOf(t, Types()[pair[1]]), nil},
				"zero is known": {numeric(pair[0], 1), numeric(pair[1], 0), []string{at}},
			} {
				diags := Validate(specObject(map[string]attr.Value{pair[0]: test.low, pair[1]: test.high}))
				if diff := cmp.Diff(test.want, frameworktest.Lines(diags)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// TestBoundsAreAll checks that every limit and maximum scale in the schema is in bounds.
func TestBoundsAreAll(t *testing.T) {
	t.Parallel()
	for name := range Types() {
		low := strings.Replace(strings.Replace(name, "_limit", "", 1), "max_scale", "min_scale", 1)
		if low != name && !slices.Contains(bounds, [2]string{low, name}) {
			t.Errorf("bounds lacks the pair %s, %s", low, name)
		}
	}
}

// TestRefuseDerivedBounds compares a field with a value that the service derives from another one.
func TestRefuseDerivedBounds(t *testing.T) {
	t.Parallel()
	cores := types.Float64Value
	for name, test := range map[string]struct {
		spec map[string]attr.Value
		at   string // Empty if valid.
	}{
		"nothing":                       {nil, ""},
		"defaults alone":                {map[string]attr.Value{"cpu": cores(4), "memory_mb": number64(512), "min_scale": number64(1), "max_scale": number64(2)}, ""},
		"limit below a derived request": {map[string]attr.Value{"cpu": cores(4), "queue_cpu_limit": cores(2)}, "queue_cpu_limit"},
		"limit of a derived request":    {map[string]attr.Value{"cpu": cores(4), "queue_cpu_limit": cores(4)}, ""},
		"memory":                        {map[string]attr.Value{"memory_mb": number64(512), "queue_memory_limit_mb": number64(256)}, "queue_memory_limit_mb"},
		"minimum above a derived one":   {map[string]attr.Value{"max_scale": number64(3), "queue_min_scale": number64(5)}, "queue_min_scale"},
		"maximum below a derived one":   {map[string]attr.Value{"min_scale": number64(3), "queue_max_scale": number64(1)}, "queue_max_scale"},
		"the request is set":            {map[string]attr.Value{"cpu": cores(4), "queue_cpu": cores(1), "queue_cpu_limit": cores(2)}, ""},
		"the request is unknown":        {map[string]attr.Value{"cpu": cores(4), "queue_cpu": types.Float64Unknown(), "queue_cpu_limit": cores(2)}, ""},
		"the base is unknown":           {map[string]attr.Value{"cpu": types.Float64Unknown(), "queue_cpu_limit": cores(2)}, ""},
		"the limit is unknown":          {map[string]attr.Value{"cpu": cores(4), "queue_cpu_limit": types.Float64Unknown()}, ""},
		"both are configured":           {map[string]attr.Value{"db_cpu": cores(4), "db_cpu_limit": cores(2)}, "db_cpu"},
		"both are derived":              {map[string]attr.Value{"min_scale": number64(3), "max_scale": number64(1)}, "min_scale"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []string
			if test.at != "" {
				want = []string{"error source_config.resource_spec." + test.at + ": Value exceeds limit"}
			}
			diags := RefuseDerived(specObject(test.spec))
			if diff := cmp.Diff(want, frameworktest.Lines(diags)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRefuseNumbers refuses what the service can't store, but not what it has already accepted.
func TestRefuseNumbers(t *testing.T) {
	t.Parallel()
	const most, more = 2147483647, 2147483648
	for name, test := range map[string]struct {
		dialect        *api.Dialect
		planned, state map[string]attr.Value
		want           []string
	}{
		"the largest":       {planned: map[string]attr.Value{"memory_mb": types.Int64Value(most), "cpu": types.Float64Value(most)}},
		"larger":            {planned: map[string]attr.Value{"memory_mb": types.Int64Value(more)}, want: []string{"error source_config.resource_spec.memory_mb: Number out of range"}},
		"more cores":        {planned: map[string]attr.Value{"cpu": types.Float64Value(more)}, want: []string{"error source_config.resource_spec.cpu: Number out of range"}},
		"a fraction":        {planned: map[string]attr.Value{"cpu": types.Float64Value(0.5)}, want: []string{"error source_config.resource_spec.cpu: Fraction of a core"}},
		"accepted fraction": {dialect: api.LangSmith, planned: map[string]attr.Value{"cpu": types.Float64Value(0.5)}},
		"of the database":   {planned: map[string]attr.Value{"db_cpu": types.Float64Value(0.5)}},
		"no dialect yet":    {planned: map[string]attr.Value{"cpu": types.Float64Value(99.5)}},
		"unknown":           {planned: map[string]attr.Value{"memory_mb": types.Int64Unknown(), "cpu": types.Float64Null()}},
		"kept": {
			planned: map[string]attr.Value{"memory_mb": types.Int64Value(more), "cpu": types.Float64Value(0.5)},
			state:   map[string]attr.Value{"memory_mb": types.Int64Value(more), "cpu": types.Float64Value(0.5)},
		},
		"changed": {
			planned: map[string]attr.Value{"cpu": types.Float64Value(0.5)}, state: map[string]attr.Value{"cpu": types.Float64Value(1)},
			want: []string{"error source_config.resource_spec.cpu: Fraction of a core"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dialect := test.dialect
			if dialect == nil && name != "no dialect yet" {
				dialect = api.Neutral
			}
			if diff := cmp.Diff(test.want, frameworktest.Lines(RefuseNumbers(dialect, specObject(test.planned), specObject(test.state)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRefuseCores tests the bounds of each field with LangSmith: both are accepted, and what is just outside isn't.
func TestRefuseCores(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]float64{"cpu": 8, "cpu_limit": 16, "queue_cpu": 8, "queue_cpu_limit": 16} {
		for n, accepted := range map[float64]bool{0.1: true, most: true, 0.09: false, most + 0.01: false, 0: false} {
			planned, want := specObject(map[string]attr.Value{name: types.Float64Value(n)}), []string(nil)
			if !accepted {
				want = []string{"error source_config.resource_spec." + name + ": Number out of range"}
			}
			if diff := cmp.Diff(want, frameworktest.Lines(RefuseNumbers(api.LangSmith, planned, specObject(nil)))); diff != "" {
				t.Errorf("%s = %v (-want +got):\n%s", name, n, diff)
			}
			if diags := RefuseNumbers(api.LangSmith, planned, planned); len(diags) > 0 {
				t.Errorf("%s = %v is refused although the state has it: %v", name, n, diags)
			}
		}
	}
	for _, name := range []string{"db_cpu", "executor_cpu"} { // They have no bounds.
		if diags := RefuseNumbers(api.LangSmith, specObject(map[string]attr.Value{name: types.Float64Value(99)}), specObject(nil)); len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// TestRoundedCores compares numbers of cores as the service keeps them.
func TestRoundedCores(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		has, wanted string
		differ      bool
	}{
		"rounded":         {`{"cpu":0.2}`, `{"cpu":0.25}`, false},
		"another decimal": {`{"cpu":0.3}`, `{"cpu":0.25}`, true},
		"the database's":  {`{"db_cpu":0.2}`, `{"db_cpu":0.25}`, true},
	} {
		if differ := Differ(specOf(t, test.wanted), specOf(t, test.has)); differ != test.differ {
			t.Errorf("%s: differ = %t, want %t", name, differ, test.differ)
		}
	}
}
