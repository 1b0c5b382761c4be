package filter

// sessionKinds are the fields of a tracing project that filters can use.
var sessionKinds = map[Field]Kind{ID: Text, Name: Text, StartTime: Time, MetadataKey: Text, MetadataValue: Any}

// ParseSession reads a filter of tracing projects. The error is a *SyntaxError.
func ParseSession(text string) (Expr, error) { return parse(text, sessionKinds) }
