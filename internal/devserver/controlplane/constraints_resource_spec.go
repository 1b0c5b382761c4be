package controlplane

import (
	"fmt"
	"slices"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// bounds are pairs of fields of which the first must not exceed the second.
var bounds = [][2]string{
	{"min_scale", "max_scale"},
	{"cpu", "cpu_limit"},
	{"memory_mb", "memory_limit_mb"},
	{"queue_min_scale", "queue_max_scale"},
	{"queue_cpu", "queue_cpu_limit"},
	{"queue_memory_mb", "queue_memory_limit_mb"},
	{"orchestrator_min_scale", "orchestrator_max_scale"},
	{"orchestrator_cpu", "orchestrator_cpu_limit"},
	{"orchestrator_memory_mb", "orchestrator_memory_limit_mb"},
	{"executor_cpu", "executor_cpu_limit"},
	{"executor_memory_mb", "executor_memory_limit_mb"},
	{"cache_cpu", "cache_cpu_limit"},
	{"cache_memory_mb", "cache_memory_limit_mb"},
	{"core_cpu", "core_cpu_limit"},
	{"core_memory_mb", "core_memory_limit_mb"},
	{"db_cpu", "db_cpu_limit"},
	{"db_memory_mb", "db_memory_limit_mb"},
}

// checkResourceSpec checks the spec with its defaults, because limits also apply between defaults and explicit values.
func checkResourceSpec(spec api.ResourceSpec) error {
	const at = "source_config.resource_spec"
	full := withDefaults(spec)
	d := api.Deployment{SourceConfig: api.SourceConfig{ResourceSpec: &full}}
	for _, b := range bounds {
		low, high := number(fieldOf(d, at+"."+b[0])), number(fieldOf(d, at+"."+b[1]))
		if low != nil && high != nil && *low > *high {
			return form.Broken("'%s.%s' (%v) is greater than '%s.%s' (%v).", at, b[0], *low, at, b[1], *high)
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

// number returns the value of a numeric field; nil if the field is null.
func number(value any) *float64 {
	var n float64
	switch v := value.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	case api.CPU:
		n = float64(v)
	default:
		return nil
	}
	return &n
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
