package resourcespec

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
		fractions      bool
		planned, state map[string]attr.Value
		want           []string
	}{
		"the largest":       {planned: map[string]attr.Value{"memory_mb": types.Int64Value(most), "cpu": types.Float64Value(most)}},
		"larger":            {planned: map[string]attr.Value{"memory_mb": types.Int64Value(more)}, want: []string{"error source_config.resource_spec.memory_mb: Number is too large"}},
		"more cores":        {planned: map[string]attr.Value{"cpu": types.Float64Value(more)}, want: []string{"error source_config.resource_spec.cpu: Number is too large"}},
		"a fraction":        {planned: map[string]attr.Value{"cpu": types.Float64Value(0.5)}, want: []string{"error source_config.resource_spec.cpu: Fraction of a core"}},
		"accepted fraction": {fractions: true, planned: map[string]attr.Value{"cpu": types.Float64Value(0.5)}},
		"of the database":   {planned: map[string]attr.Value{"db_cpu": types.Float64Value(0.5)}},
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
			if diff := cmp.Diff(test.want, frameworktest.Lines(RefuseNumbers(test.fractions, specObject(test.planned), specObject(test.state)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
