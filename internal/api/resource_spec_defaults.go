package api

// DerivedField is a numeric field of ResourceSpec that the service derives if it is absent: Factor times From.
type DerivedField struct {
	Field, From string
	Factor      int64
}

// DerivedFields are the documented defaults of ResourceSpec, each after those that it is derived from.
var DerivedFields = []DerivedField{
	{"cpu_limit", "cpu", 2},
	{"memory_limit_mb", "memory_mb", 2},
	{"queue_min_scale", "min_scale", 1},
	{"queue_max_scale", "max_scale", 1},
	{"queue_cpu", "cpu", 1},
	{"queue_cpu_limit", "queue_cpu", 2},
	{"queue_memory_mb", "memory_mb", 1},
	{"queue_memory_limit_mb", "queue_memory_mb", 2},
	{"db_cpu_limit", "db_cpu", 2},
	{"db_memory_limit_mb", "db_memory_mb", 2},
}
