package llmrun

import (
	"encoding/json"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/rawjson"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// Model finds the model. The first of metadata.ls_model_name, inputs.model and inputs.model_name counts; clients of the
// tracing framework have it only in the invocation parameters. The model in a response is never used: it is a dated version
// of the requested one, to which prices apply.
func (r *Run) Model() usage.Model {
	m := usage.Model{Params: map[string]string{}}
	for key, value := range r.InvocationParams {
		if s, ok := rawjson.ReadString(value); ok && s != "" {
			m.Params[key] = s
		}
	}
	inputs, _ := rawjson.ReadObject(r.Inputs)
	var first rawjson.Object // The first of several arguments.
	if args, _ := rawjson.ReadArray(inputs.Get("args")); len(args) > 0 {
		first, _ = rawjson.ReadObject(args[0])
	}
	body, _ := rawjson.ReadObject(inputs.Get("body")) // Of a line of a batch.
	params, _ := rawjson.ReadObject(inputs.Get("params"))
	for _, place := range []struct {
		value  json.RawMessage
		source string
	}{
		{r.Metadata["ls_model_name"], "metadata.ls_model_name"},
		{inputs.Get("model"), "inputs.model"},
		{inputs.Get("model_name"), "inputs.model_name"},
		{first.Get("model"), "inputs.args[0].model"},
		{body.Get("model"), "inputs.body.model"},
		{params.Get("model"), "inputs.params.model"},
		{r.InvocationParams["model"], "invocation_params.model"},
		{r.InvocationParams["model_name"], "invocation_params.model_name"},
	} {
		if name, ok := rawjson.ReadString(place.value); ok && name != "" {
			m.Name, m.Source = name, place.source
			break
		}
	}
	provider, _ := rawjson.ReadString(r.Metadata["ls_provider"])
	m.Provider, _ = usage.ProviderName(provider)
	return m
}
