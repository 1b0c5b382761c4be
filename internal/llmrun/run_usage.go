package llmrun

import (
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Usage finds the tokens and costs that the run itself reports.
func (r *Run) Usage() usage.Reading {
	return usage.Places{
		Outputs: r.Outputs, Metadata: r.Metadata["usage_metadata"], MetadataPointer: r.metadataPointer("usage_metadata"),
		Kind: usageKinds[r.RunType], RunMetadata: r.Metadata,
	}.Find()
}

// usageKinds are the types of runs that aren't model calls.
var usageKinds = map[RunType]usage.Kind{
	RunTypeTool: usage.Work, RunTypeRetriever: usage.Work,
	RunTypeChain: usage.Flow, RunTypePrompt: usage.Flow, RunTypeParser: usage.Flow,
}

// metadataPointer is the location of a key of Metadata.
func (r *Run) metadataPointer(key string) string {
	extra, _ := rawjson.ReadObject(r.Extra)
	metadata, _ := rawjson.ReadObject(extra.Get("metadata"))
	if !metadata.Has(key) && membersOf(r.Rest["metadata"])[key] != nil {
		return rawjson.Pointer("metadata", key)
	}
	return rawjson.Pointer("extra", "metadata", key)
}
