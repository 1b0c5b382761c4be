package deployment

import (
	"bytes"
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// derived is a field that the service fills in from another: a multiple of its value.
type derived[T int64 | float64 | api.CPU] struct {
	field, base func(*api.ResourceSpec) **T
	factor      T
}

// The documented defaults, each after those that it follows from.
var (
	derivedCounts = []derived[int64]{
		{func(s *api.ResourceSpec) **int64 { return &s.MemoryLimitMB }, func(s *api.ResourceSpec) **int64 { return &s.MemoryMB }, 2},
		{func(s *api.ResourceSpec) **int64 { return &s.QueueMinScale }, func(s *api.ResourceSpec) **int64 { return &s.MinScale }, 1},
		{func(s *api.ResourceSpec) **int64 { return &s.QueueMaxScale }, func(s *api.ResourceSpec) **int64 { return &s.MaxScale }, 1},
		{func(s *api.ResourceSpec) **int64 { return &s.QueueMemoryMB }, func(s *api.ResourceSpec) **int64 { return &s.MemoryMB }, 1},
		{func(s *api.ResourceSpec) **int64 { return &s.QueueMemoryLimitMB }, func(s *api.ResourceSpec) **int64 { return &s.QueueMemoryMB }, 2},
		{func(s *api.ResourceSpec) **int64 { return &s.DBMemoryLimitMB }, func(s *api.ResourceSpec) **int64 { return &s.DBMemoryMB }, 2},
	}
	derivedCPUs = []derived[api.CPU]{
		{func(s *api.ResourceSpec) **api.CPU { return &s.CPULimit }, func(s *api.ResourceSpec) **api.CPU { return &s.CPU }, 2},
		{func(s *api.ResourceSpec) **api.CPU { return &s.QueueCPU }, func(s *api.ResourceSpec) **api.CPU { return &s.CPU }, 1},
		{func(s *api.ResourceSpec) **api.CPU { return &s.QueueCPULimit }, func(s *api.ResourceSpec) **api.CPU { return &s.QueueCPU }, 2},
	}
	derivedDatabaseCPUs = []derived[float64]{
		{func(s *api.ResourceSpec) **float64 { return &s.DBCPULimit }, func(s *api.ResourceSpec) **float64 { return &s.DBCPU }, 2},
	}
)

// withDefaults fills in what the service is documented to derive.
func withDefaults(spec api.ResourceSpec) api.ResourceSpec {
	derive(&spec, derivedCounts)
	derive(&spec, derivedCPUs)
	derive(&spec, derivedDatabaseCPUs)
	return spec
}

// withoutDefaults leaves out what the service would derive again.
func withoutDefaults(spec api.ResourceSpec) api.ResourceSpec {
	full := withDefaults(spec)
	omit(&spec, &full, derivedCounts)
	omit(&spec, &full, derivedCPUs)
	omit(&spec, &full, derivedDatabaseCPUs)
	return spec
}

func derive[T int64 | float64 | api.CPU](spec *api.ResourceSpec, rules []derived[T]) {
	for _, rule := range rules {
		field, base := rule.field(spec), *rule.base(spec)
		if *field == nil && base != nil {
			value := rule.factor * *base
			*field = &value
		}
	}
}

func omit[T int64 | float64 | api.CPU](spec, full *api.ResourceSpec, rules []derived[T]) {
	for _, rule := range rules {
		field, base := rule.field(spec), *rule.base(full)
		if *field != nil && base != nil && **field == rule.factor**base {
			*field = nil
		}
	}
}

// canonical is the spec field by field as JSON that is equal if and only if the meaning is: keys in order, no white
// space, and nothing that means the same as its absence. Free-form objects count as they are.
func canonical(spec api.ResourceSpec) map[string]json.RawMessage {
	spec = withoutEmpty(spec)
	data, err := json.Marshal(spec)
	if err != nil {
		panic(err) // Structs of strings, numbers and JSON that has been decoded before.
	}
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		panic(err)
	}
	fields := map[string]json.RawMessage{}
	for name, value := range tree {
		if fields[name], err = json.Marshal(value); err != nil {
			panic(err)
		}
	}
	return fields
}
