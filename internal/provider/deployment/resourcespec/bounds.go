package resourcespec

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// bounds are pairs of fields: the first must not exceed the second.
var bounds = [][2]string{
	{"min_scale", "max_scale"}, {"queue_min_scale", "queue_max_scale"}, {"orchestrator_min_scale", "orchestrator_max_scale"},
	{"cpu", "cpu_limit"}, {"memory_mb", "memory_limit_mb"}, {"queue_cpu", "queue_cpu_limit"},
	{"queue_memory_mb", "queue_memory_limit_mb"}, {"db_cpu", "db_cpu_limit"}, {"db_memory_mb", "db_memory_limit_mb"},
	{"orchestrator_cpu", "orchestrator_cpu_limit"}, {"orchestrator_memory_mb", "orchestrator_memory_limit_mb"},
	{"executor_cpu", "executor_cpu_limit"}, {"executor_memory_mb", "executor_memory_limit_mb"},
}

// figures are the known numbers of a spec by field.
type figures map[string]figure

type figure struct {
	value float64
	// origin is the field that the service derives the number from; empty where the number is configured.
	origin string
}

func newFigures(spec types.Object) figures {
	all := figures{}
	for name, value := range spec.Attributes() {
		if n, known := number(value); known {
			all[name] = figure{value: n}
		}
	}
	return all
}

// derive adds the service's defaults for fields that are not set. They hold only for a new deployment: an existing one may
// have values that the resource doesn't manage.
func (f figures) derive(spec types.Object) {
	for _, rule := range api.DerivedFields {
		base, known := f[rule.From]
		if value, there := spec.Attributes()[rule.Field]; !there || !value.IsNull() || !known {
			continue
		}
		f[rule.Field] = figure{base.value * float64(rule.Factor), cmp.Or(base.origin, rule.From)}
	}
}

// crossed reports pairs whose first field exceeds the second, on the configured field.
func (f figures) crossed() diag.Diagnostics {
	var diags diag.Diagnostics
	for _, pair := range bounds {
		low, knownLow := f[pair[0]]
		high, knownHigh := f[pair[1]]
		if !knownLow || !knownHigh || low.value <= high.value {
			continue
		}
		atLow, atHigh := Path.AtName(pair[0]), Path.AtName(pair[1])
		switch {
		case low.origin == "" && high.origin == "":
			diags.AddAttributeError(atLow, "Value exceeds limit",
				fmt.Sprintf("%s is %v, which is more than %s (%v). Lower one or raise the other.", atLow, low.value, pair[1], high.value))
		case high.origin == "":
			diags.AddAttributeError(atHigh, "Value exceeds limit", fmt.Sprintf("%s is %v, but %s defaults to %v, derived from %s. Raise "+
				"%s to at least that value, or set %s to a lower one.", atHigh, high.value, pair[0], low.value, low.origin, pair[1],
				pair[0]))
		case low.origin == "":
			diags.AddAttributeError(atLow, "Value exceeds limit", fmt.Sprintf("%s is %v, but %s defaults to %v, derived from %s. Lower %s "+
				"to at most that value, or set %s to a higher one.", atLow, low.value, pair[1], high.value, high.origin, pair[0], pair[1]))
		}
	}
	return diags
}

// RefuseDerived refuses the spec of a new deployment that contradicts the defaults derived from it.
func RefuseDerived(spec types.Object) diag.Diagnostics {
	all := newFigures(spec)
	all.derive(spec)
	return all.crossed()
}

// RefuseNumbers refuses numbers that the service doesn't accept, unless the state has them already: then the service accepted them
// once. A nil dialect isn't known yet.
func RefuseNumbers(dialect *api.Dialect, planned, state types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	for name, value := range planned.Attributes() {
		n, known := number(value)
		at, has := Path.AtName(name), state.Attributes()[name]
		_, cores := value.(types.Float64)
		bound, bounded := api.CPUBounds[name]
		switch {
		case !known, has != nil && has.Equal(value), cores && (dialect == nil || strings.HasPrefix(name, "db_")):
		case cores && dialect.FractionalCPU:
			if bounded {
				diags.Append(framework.Between(float64(bound.Least), float64(bound.Most)).Refuse(at, big.NewFloat(n))...)
			}
		case n > api.MaxCount:
			diags.Append(framework.Between(0, api.MaxCount).Refuse(at, big.NewFloat(n))...)
		case cores && n != math.Trunc(n):
			diags.AddAttributeError(at, "Fraction of a core", fmt.Sprintf("%s is %v, but the service accepts only whole cores. Set it to %v.", at, n, math.Ceil(n)))
		}
	}
	return diags
}

func number(value attr.Value) (float64, bool) {
	switch v := value.(type) {
	case types.Int64:
		return float64(v.ValueInt64()), !v.IsNull() && !v.IsUnknown()
	case types.Float64:
		return v.ValueFloat64(), !v.IsNull() && !v.IsUnknown()
	}
	return 0, false
}
