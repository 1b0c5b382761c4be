package resourcespec

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	tfpath "github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Validate checks rules across several fields of the spec, as far as they are known. Most are those of Kubernetes: the service accepts what
// violates them, but the rollout fails.
func Validate(spec types.Object) diag.Diagnostics {
	if spec.IsNull() || spec.IsUnknown() {
		return nil
	}
	diags := newFigures(spec).crossed()
	diags.Append(validateNames(spec)...)
	diags.Append(validateMounts(spec)...)
	diags.Append(validateVolumes(spec)...)
	diags.Append(refuseMounts(Path.AtName("volume_mounts"), spec.Attributes()["volume_mounts"])...)
	for at, container := range containers(spec) {
		diags.Append(refuseMounts(at.AtName("volume_mounts"), container.Attributes()["volume_mounts"])...)
		diags.Append(refuseRequests(at.AtName("resources"), container.Attributes()["resources"])...)
		diags.Append(refuseVariables(at.AtName("env"), container.Attributes()["env"])...)
	}
	return diags
}

// validateNames refuses duplicate names. All containers share one namespace.
func validateNames(spec types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, lists := range [][]string{{"volumes"}, {"image_pull_secrets"}, {"init_containers", "sidecars"}} {
		seen := map[string]tfpath.Path{}
		for _, list := range lists {
			for at, element := range objects(Path.AtName(list), spec.Attributes()[list]) {
				diags.Append(refuseTwice(seen, at.AtName("name"), element.Attributes()["name"])...)
			}
		}
	}
	return diags
}

func refuseTwice(seen map[string]tfpath.Path, at tfpath.Path, value attr.Value) diag.Diagnostics {
	name, ok := knownText(value)
	first, twice := seen[name]
	var diags diag.Diagnostics
	switch {
	case ok && twice:
		diags.AddAttributeError(at, "Duplicate name", fmt.Sprintf("%s is %q, which is already used at %s. Names must be unique.", at, name, first))
	case ok:
		seen[name] = at
	}
	return diags
}

// validateMounts refuses mounts of volumes that don't exist, unless the name of a volume is unknown.
func validateMounts(spec types.Object) diag.Diagnostics {
	volumes, complete := map[string]bool{}, !spec.Attributes()["volumes"].IsUnknown()
	for _, volume := range objects(Path.AtName("volumes"), spec.Attributes()["volumes"]) {
		name, ok := knownText(volume.Attributes()["name"])
		complete = complete && ok
		volumes[name] = true
	}
	if !complete {
		return nil
	}
	diags := refuseUnknownVolumes(volumes, Path.AtName("volume_mounts"), spec.Attributes()["volume_mounts"])
	for at, container := range containers(spec) {
		diags.Append(refuseUnknownVolumes(volumes, at.AtName("volume_mounts"), container.Attributes()["volume_mounts"])...)
	}
	return diags
}

func refuseUnknownVolumes(volumes map[string]bool, at tfpath.Path, mounts attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	for at, mount := range objects(at, mounts) {
		if name, ok := knownText(mount.Attributes()["name"]); ok && !volumes[name] {
			at := at.AtName("name")
			diags.AddAttributeError(at, "Mount without volume", fmt.Sprintf("%s is %q, but no volume has that name. Add it to "+
				"source_config.resource_spec.volumes, or correct the name.", at, name))
		}
	}
	return diags
}

// validateVolumes requires exactly one source for each volume.
func validateVolumes(spec types.Object) diag.Diagnostics {
	var diags diag.Diagnostics
	for at, volume := range objects(Path.AtName("volumes"), spec.Attributes()["volumes"]) {
		sources := volume.Attributes() // A copy.
		unknown := volume.IsUnknown() || slices.ContainsFunc(slices.Collect(maps.Values(sources)), attr.Value.IsUnknown)
		delete(sources, "name")
		all := slices.Sorted(maps.Keys(sources))
		set := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return sources[name].IsNull() })
		switch {
		case unknown || volume.IsNull():
		case len(set) == 0:
			diags.AddAttributeError(at, "Volume without a source", fmt.Sprintf("%s has no source. Set one of %s; for an "+
				"empty directory, set empty_dir_json = \"{}\".", at, strings.Join(all, ", ")))
		case len(set) > 1:
			diags.AddAttributeError(at, "Volume with multiple sources", fmt.Sprintf("%s has more than one source: %s. Keep one of them.", at,
				strings.Join(set, ", ")))
		}
	}
	return diags
}

// refuseMounts refuses mounts of one container at the same path, and mounts with both sub_path and sub_path_expr.
func refuseMounts(at tfpath.Path, mounts attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	seen := map[string]tfpath.Path{}
	for at, mount := range objects(at, mounts) {
		subPath, expr := mount.Attributes()["sub_path"], mount.Attributes()["sub_path_expr"]
		if _, ok := knownText(subPath); ok && expr != nil && !expr.IsNull() {
			diags.AddAttributeError(at.AtName("sub_path_expr"), "Conflicting paths",
				fmt.Sprintf("%s has both sub_path and sub_path_expr. Keep one of them.", at))
		}
		place, ok := knownText(mount.Attributes()["mount_path"])
		if !ok {
			continue
		}
		at = at.AtName("mount_path")
		if first, twice := seen[path.Clean(place)]; twice {
			diags.AddAttributeError(at, "Duplicate mount path",
				fmt.Sprintf("%s is %q, which is already used by %s. Choose another path.", at, place, first))
			continue
		}
		seen[path.Clean(place)] = at
	}
	return diags
}

// refuseRequests refuses resource requests that exceed their limits.
func refuseRequests(at tfpath.Path, value attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	resources, _ := value.(types.Object)
	requests, _ := resources.Attributes()["requests"].(types.Map)
	limits, _ := resources.Attributes()["limits"].(types.Map)
	for _, name := range slices.Sorted(maps.Keys(requests.Elements())) {
		request, known := knownText(requests.Elements()[name])
		limit, limited := knownText(limits.Elements()[name])
		if !known || !limited {
			continue
		}
		low, err := parseQuantity(request)
		high, wrong := parseQuantity(limit)
		if err == nil && wrong == nil && low.Cmp(high) > 0 {
			at := at.AtName("requests").AtMapKey(name)
			diags.AddAttributeError(at, "Value exceeds limit",
				fmt.Sprintf("%s is %q, which is more than the limit (%q). Lower one or raise the other.", at, request, limit))
		}
	}
	return diags
}

// refuseVariables refuses variables of one container that have the same name, and those with two values.
func refuseVariables(at tfpath.Path, env attr.Value) diag.Diagnostics {
	var diags diag.Diagnostics
	seen := map[string]tfpath.Path{}
	for at, variable := range objects(at, env) {
		diags.Append(refuseTwice(seen, at.AtName("name"), variable.Attributes()["name"])...)
		value, _ := knownText(variable.Attributes()["value"])
		from, ok := variable.Attributes()["value_from_json"].(jsontypes.Normalized)
		if value != "" && ok && !from.IsNull() && !from.IsUnknown() {
			diags.AddAttributeError(at.AtName("value_from_json"), "Conflicting values",
				fmt.Sprintf("%s has both value and value_from_json. Keep one of them.", at))
		}
	}
	return diags
}

// RefuseContainers refuses settings of containers that the service doesn't accept, unless the state has them already: then the service
// accepted them.
func RefuseContainers(planned, state types.Object) diag.Diagnostics {
	type setting struct{ attribute, value string }
	settings := func(spec types.Object, visit func(at tfpath.Path, s setting)) {
		for at, container := range containers(spec) {
			if image, ok := knownText(container.Attributes()["image"]); ok {
				visit(at.AtName("image"), setting{"image", image})
			}
		}
		for at, container := range objects(Path.AtName("init_containers"), spec.Attributes()["init_containers"]) {
			if policy, ok := knownText(container.Attributes()["restart_policy"]); ok {
				visit(at.AtName("restart_policy"), setting{"restart_policy", policy})
			}
		}
	}
	has := map[setting]bool{}
	settings(state, func(_ tfpath.Path, s setting) { has[s] = true })
	var diags diag.Diagnostics
	settings(planned, func(at tfpath.Path, s setting) {
		switch {
		case has[s]:
		case s.attribute == "image":
			diags.Append(framework.RefuseDigest(at, s.value)...)
		default:
			diags.AddAttributeError(at, "Invalid "+at.String(), fmt.Sprintf("%s is %q, but only sidecars can be restarted. Remove it, or make the "+
				"container a sidecar.", at, s.value))
		}
	})
	return diags
}

// containers are all containers but the main one, with their paths.
func containers(spec types.Object) iter.Seq2[tfpath.Path, types.Object] {
	return func(yield func(tfpath.Path, types.Object) bool) {
		for _, list := range []string{"init_containers", "sidecars"} {
			for at, container := range objects(Path.AtName(list), spec.Attributes()[list]) {
				if !yield(at, container) {
					return
				}
			}
		}
	}
}

// objects are the elements of a list of objects with their paths, none while the list is unknown. An element that is unknown as a whole has
// no attributes.
func objects(at tfpath.Path, list attr.Value) iter.Seq2[tfpath.Path, types.Object] {
	return func(yield func(tfpath.Path, types.Object) bool) {
		elements, _ := list.(types.List)
		for i, element := range elements.Elements() {
			if object, ok := element.(types.Object); ok && !yield(at.AtListIndex(i), object) {
				return
			}
		}
	}
}

func knownText(value attr.Value) (string, bool) {
	text, ok := value.(types.String)
	return text.ValueString(), ok && !text.IsNull() && !text.IsUnknown()
}

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
			diags.AddAttributeError(atHigh, "Value exceeds limit", fmt.Sprintf("%s is %v, but %s defaults to %v, derived from %s. Raise %s to at "+
				"least that value, or set %s to a lower one.", atHigh, high.value, pair[0], low.value, low.origin, pair[1], pair[0]))
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
