package filter

// Fields lists the names of all fields of runs.
func Fields() []string { return names(kinds) }
