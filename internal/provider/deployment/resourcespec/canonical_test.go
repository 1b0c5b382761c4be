package resourcespec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestWithDefaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ spec, want string }{
		"nothing":            {`{}`, `{}`},
		"one":                {`{"memory_mb":512}`, `{"memory_mb":512,"memory_limit_mb":1024,"queue_memory_mb":512,"queue_memory_limit_mb":1024}`},
		"a chain":            {`{"cpu":2}`, `{"cpu":2,"cpu_limit":4,"queue_cpu":2,"queue_cpu_limit":4}`},
		"a chain from below": {`{"queue_cpu":3}`, `{"queue_cpu":3,"queue_cpu_limit":6}`},
		"a chain that is cut": {
			`{"cpu":2,"queue_cpu":3}`, `{"cpu":2,"cpu_limit":4,"queue_cpu":3,"queue_cpu_limit":6}`,
		},
		"what is set stays":      {`{"cpu":2,"cpu_limit":3,"queue_cpu_limit":9}`, `{"cpu":2,"cpu_limit":3,"queue_cpu":2,"queue_cpu_limit":9}`},
		"scales are not doubled": {`{"min_scale":1,"max_scale":5}`, `{"min_scale":1,"max_scale":5,"queue_min_scale":1,"queue_max_scale":5}`},
		"zero is a base":         {`{"min_scale":0,"cpu":0}`, `{"min_scale":0,"queue_min_scale":0,"cpu":0,"cpu_limit":0,"queue_cpu":0,"queue_cpu_limit":0}`},
		"fractions":              {`{"db_cpu":0.1,"db_memory_mb":3}`, `{"db_cpu":0.1,"db_cpu_limit":0.2,"db_memory_mb":3,"db_memory_limit_mb":6}`},
		"not to be used":         {`{"orchestrator_cpu":1,"executor_memory_mb":2}`, `{"orchestrator_cpu":1,"executor_memory_mb":2}`},
		"unknown fields stay":    {`{"cpu_burst":1,"db_cpu":1}`, `{"cpu_burst":1,"db_cpu":1,"db_cpu_limit":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(canonical(specOf(t, test.want)), canonical(withDefaults(specOf(t, test.spec)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutDefaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ spec, want string }{
		"nothing":                         {`{}`, `{}`},
		"a chain":                         {`{"cpu":2,"cpu_limit":4,"queue_cpu":2,"queue_cpu_limit":4}`, `{"cpu":2}`},
		"a chain over what is not there":  {`{"cpu":2,"queue_cpu_limit":4}`, `{"cpu":2}`},
		"a chain that is cut":             {`{"cpu":2,"cpu_limit":4,"queue_cpu":3,"queue_cpu_limit":6}`, `{"cpu":2,"queue_cpu":3}`},
		"what is no default stays":        {`{"cpu":2,"cpu_limit":3,"queue_cpu":2,"queue_cpu_limit":5}`, `{"cpu":2,"cpu_limit":3,"queue_cpu_limit":5}`},
		"a value without its base stays":  {`{"cpu_limit":4,"queue_max_scale":1}`, `{"cpu_limit":4,"queue_max_scale":1}`},
		"twice the upper one's is no fit": {`{"cpu":2,"queue_cpu":3,"queue_cpu_limit":4}`, `{"cpu":2,"queue_cpu":3,"queue_cpu_limit":4}`},
		"unknown fields stay":             {`{"gpu":1,"db_memory_mb":1,"db_memory_limit_mb":2}`, `{"gpu":1,"db_memory_mb":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(canonical(specOf(t, test.want)), canonical(withoutDefaults(specOf(t, test.spec)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDefaultsAreInverse checks that omitting defaults loses nothing, and that both functions are idempotent.
func TestDefaultsAreInverse(t *testing.T) {
	t.Parallel()
	eachSpec(t, 50, true, func(t *testing.T, _ int64, object types.Object) {
		t.Helper()
		spec, _, _ := ToAPI(object)
		full, short := withDefaults(spec), withoutDefaults(spec)
		for name, pair := range map[string][2]api.ResourceSpec{
			"with of without":    {full, withDefaults(short)},
			"without of with":    {short, withoutDefaults(full)},
			"with of with":       {full, withDefaults(full)},
			"without of without": {short, withoutDefaults(short)},
		} {
			if want, got := jsonOf(t, pair[0]), jsonOf(t, pair[1]); got != want {
				t.Errorf("%s:\ngot %s,\nwant %s", name, got, want)
			}
		}
	})
}

// TestDerivedFieldsAreFields checks that the table of defaults contains only existing fields: a lookup of another one would return the first
// field of the spec.
func TestDerivedFieldsAreFields(t *testing.T) {
	t.Parallel()
	derived := map[string]bool{}
	for i, rule := range derivedFields {
		for _, name := range []string{rule.Field, rule.From} {
			if Types()[name] == nil && i < len(api.DerivedFields) {
				t.Errorf("%s isn't an attribute", name)
			}
			if _, ok := fieldIndexes()[name]; !ok {
				t.Errorf("%s isn't a field", name)
			}
		}
		if derived[rule.From] != (rule.From == "queue_cpu" || rule.From == "queue_memory_mb") {
			t.Errorf("%s is before %s in the table, although it is derived from it", rule.Field, rule.From)
		}
		derived[rule.Field] = true
	}
}
