package controlplane

import (
	"reflect"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
)

// withDefaults sets the defaults that depend on other fields. The defaults of those other fields are not documented, so
// there are none.
func withDefaults(s api.ResourceSpec) api.ResourceSpec {
	follow(&s.CPULimit, double(s.CPU))
	follow(&s.MemoryLimitMB, double(s.MemoryMB))

	follow(&s.QueueMinScale, s.MinScale)
	follow(&s.QueueMaxScale, s.MaxScale)
	follow(&s.QueueCPU, s.CPU)
	follow(&s.QueueCPULimit, double(s.QueueCPU))
	follow(&s.QueueMemoryMB, s.MemoryMB)
	follow(&s.QueueMemoryLimitMB, double(s.QueueMemoryMB))

	follow(&s.DBCPULimit, double(s.DBCPU))
	follow(&s.DBMemoryLimitMB, double(s.DBMemoryMB))

	follow(&s.CacheCPULimit, double(s.CacheCPU))
	follow(&s.CoreCPULimit, double(s.CoreCPU))
	return s
}

// rounded returns the spec as it is kept: some numbers of cores have one decimal.
func rounded(s api.ResourceSpec) api.ResourceSpec {
	fields := reflect.ValueOf(&s).Elem()
	for i := range fields.NumField() {
		if cores, is := reflect.TypeAssert[*api.CPU](fields.Field(i)); is && cores != nil {
			kept := api.RoundedCPU(form.WireField(fields.Type().Field(i)).Name, *cores)
			fields.Field(i).Set(reflect.ValueOf(&kept))
		}
	}
	return s
}

func follow[T any](field **T, value *T) {
	if *field == nil {
		*field = value
	}
}

func double[T ~int64 | ~float64](value *T) *T {
	if value == nil {
		return nil
	}
	twice := *value * 2
	return &twice
}
