package llmrun

// Usage finds the tokens and the costs that the run states itself.
func (r *Run) Usage() UsageReading {
	provider, _ := readString(r.Metadata["ls_provider"])
	return Places{
		Outputs: r.Outputs, Metadata: r.Metadata["usage_metadata"], MetadataPointer: r.metadataPointer("usage_metadata"),
		Call: r.RunType == RunTypeLLM || r.RunType == "", Provider: provider,
	}.Find()
}

// metadataPointer is where the value of a key of Metadata stands.
func (r *Run) metadataPointer(key string) string {
	extra, _ := readObject(r.Extra)
	metadata, _ := readObject(extra.get("metadata"))
	if !metadata.has(key) && membersOf(r.Rest["metadata"])[key] != nil {
		return pointer("metadata", key)
	}
	return pointer("extra", "metadata", key)
}
