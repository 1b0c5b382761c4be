package controlplane

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// upperBound replaces the end of a field's name by that of the field that must not be less.
var upperBound = strings.NewReplacer("min_scale", "max_scale", "cpu", "cpu_limit", "memory_mb", "memory_limit_mb")

// checkResourceSpec checks the spec with its defaults, because limits also apply between defaults and explicit values.
func checkResourceSpec(spec api.ResourceSpec) error {
	const at = "source_config.resource_spec"
	full := withDefaults(spec, api.DerivedFields)
	fields, numbers := reflect.ValueOf(full), map[string]float64{}
	for i := range fields.NumField() {
		if n, is := number(fields.Field(i)); is {
			numbers[form.WireField(fields.Type().Field(i)).Name] = n
		}
	}
	for _, field := range slices.Sorted(maps.Keys(numbers)) {
		bound := upperBound.Replace(field)
		if most, set := numbers[bound]; set && numbers[field] > most {
			return form.Broken("'%s.%s' (%v) is greater than '%s.%s' (%v).", at, field, numbers[field], at, bound, most)
		}
	}
	if name, twice := firstDuplicate(spec.Volumes, func(v api.Volume) string { return v.Name }); twice {
		return form.Broken("'%s.volumes' has the name '%s' more than once.", at, name)
	}
	volumes := form.Collect(spec.Volumes, func(v api.Volume) string { return v.Name })
	if err := checkMounts(spec.VolumeMounts, volumes, at+".volume_mounts"); err != nil {
		return err
	}
	if err := checkContainers(spec.InitContainers, volumes, at+".init_containers"); err != nil {
		return err
	}
	return checkContainers(spec.Sidecars, volumes, at+".sidecars")
}

// number returns the value of a numeric field; false if it is null, or of another type.
func number(field reflect.Value) (float64, bool) {
	switch value := reflect.Indirect(field); {
	case value.CanInt():
		return float64(value.Int()), true
	case value.CanFloat():
		return value.Float(), true
	default:
		return 0, false
	}
}

func checkMounts(mounts []api.VolumeMount, volumes []string, at string) error {
	for i, mount := range mounts {
		if !slices.Contains(volumes, mount.Name) {
			return form.Broken("'%s[%d].name' is '%s', which is not the name of a volume of the spec: %s.",
				at, i, mount.Name, list(volumes))
		}
	}
	return nil
}

func checkContainers(containers []api.Container, volumes []string, at string) error {
	for i, container := range containers {
		here := fmt.Sprintf("%s[%d]", at, i)
		if name, twice := firstDuplicate(container.Env, func(e api.EnvVar) string { return e.Name }); twice {
			return form.Broken("'%s.env' has the name '%s' more than once.", here, name)
		}
		for j, env := range container.Env {
			if env.Value != nil && *env.Value != "" && env.ValueFrom != nil {
				return form.Broken("'%s.env[%d]' ('%s') has both value and valueFrom: use only one.",
					here, j, env.Name)
			}
		}
		if err := checkMounts(container.VolumeMounts, volumes, here+".volumeMounts"); err != nil {
			return err
		}
	}
	return nil
}
