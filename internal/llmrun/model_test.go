package llmrun

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentplane/terraform-provider-agentplane/internal/assert"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/usage"
)

// TestModelNamePrecedence expects the order of the specification, followed by other places that are tolerated.
func TestModelNamePrecedence(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		run  string
		want usage.Model
	}{
		"all of them": {
			`{"extra":{"metadata":{"ls_model_name":"a"},"invocation_params":{"model":"d","model_name":"e"}},"inputs":{"model":"b","model_name":"c"}}`,
			usage.Model{Name: "a", Source: "metadata.ls_model_name"},
		},
		"no ls_model_name": {
			`{"extra":{"metadata":{},"invocation_params":{"model":"d","model_name":"e"}},"inputs":{"model":"b","model_name":"c"}}`,
			usage.Model{Name: "b", Source: "inputs.model"},
		},
		"nor inputs.model": {
			`{"extra":{"invocation_params":{"model":"d","model_name":"e"}},"inputs":{"model_name":"c"}}`,
			usage.Model{Name: "c", Source: "inputs.model_name"},
		},
		"nor inputs.model_name": {
			`{"extra":{"invocation_params":{"model":"d","model_name":"e"}},"inputs":{}}`,
			usage.Model{Name: "d", Source: "invocation_params.model"},
		},
		"the last":                       {`{"extra":{"invocation_params":{"model_name":"e"}}}`, usage.Model{Name: "e", Source: "invocation_params.model_name"}},
		"none":                           {`{"extra":{"invocation_params":{"endpoint_name":"f"}}}`, usage.Model{}},
		"the first of several arguments": {`{"inputs":{"args":[{"model":"c"},{}]}}`, usage.Model{Name: "c", Source: "inputs.args[0].model"}},
		"nulls and empty texts":          {`{"extra":{"metadata":{"ls_model_name":null}},"inputs":{"model":"","model_name":"c"}}`, usage.Model{Name: "c", Source: "inputs.model_name"}},
		"what is no text":                {`{"extra":{"metadata":{"ls_model_name":7}},"inputs":{"model":{"id":1},"model_name":"c"}}`, usage.Model{Name: "c", Source: "inputs.model_name"}},
		"inputs that are a list":         {`{"inputs":[{"model":"b"}]}`, usage.Model{}},
		"the answer's is not asked":      {`{"outputs":{"model":"gpt-4o-2024-08-06"}}`, usage.Model{}},
		"a provider":                     {`{"extra":{"metadata":{"ls_provider":"openai"}}}`, usage.Model{Provider: "openai"}},
		"a provider's API":               {`{"extra":{"metadata":{"ls_provider":"openai.responses"}}}`, usage.Model{Provider: "openai"}},
		"a provider of a convention":     {`{"extra":{"metadata":{"ls_provider":"gcp.vertex.agent"}}}`, usage.Model{Provider: "google_vertexai"}},
		"an unknown provider":            {`{"extra":{"metadata":{"ls_provider":"My.Gateway"}}}`, usage.Model{Provider: "My.Gateway"}},
		"a provider elsewhere":           {`{"inputs":{"ls_provider":"openai"},"extra":{"invocation_params":{"provider":"openai"}}}`, usage.Model{}},
		"beside extra":                   {`{"metadata":{"ls_model_name":"a","ls_provider":"p"}}`, usage.Model{Name: "a", Source: "metadata.ls_model_name", Provider: "p"}},
		"beside extra and in it":         {`{"metadata":{"ls_model_name":"x","ls_provider":"p"},"extra":{"metadata":{"ls_model_name":"a"}}}`, usage.Model{Name: "a", Source: "metadata.ls_model_name", Provider: "p"}},
	} {
		assert.Same(t, name, tc.want, decodeRun(t, tc.run).Model(), cmpopts.IgnoreFields(usage.Model{}, "Params"))
	}
}

func TestModelParams(t *testing.T) {
	t.Parallel()
	r := decodeRun(t, `{"extra":{"invocation_params":{"endpoint_name":"f","temperature":0.5,"model_id":"","stop":["a"]}}}`)
	assert.Same(t, "parameters", map[string]string{"endpoint_name": "f"}, r.Model().Params)
}
