package controlplane

import "github.com/agentplane/terraform-provider-agentplane/internal/api"

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
