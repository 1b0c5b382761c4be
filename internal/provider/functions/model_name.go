package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
)

var modelTypes = map[string]attr.Type{"name": types.StringType, "provider": types.StringType, "source": types.StringType}

// NewModelName finds the model that a run has called.
func NewModelName() function.Function {
	return spec{name: "model_name", run: ofRun(modelName), definition: function.Definition{
		Summary: "Returns the model of a run",
		MarkdownDescription: "Returns an object with the `name` of the model that a run called, its `provider`, and the " +
			"`source` of the name. The name is the first of `extra.metadata.ls_model_name`, `inputs.model`, " +
			"`inputs.model_name` and the invocation parameters; the provider is `extra.metadata.ls_provider`, under the " +
			"name that prices have: `openai` for `openai.responses`. Missing values are null.",
		Parameters: []function.Parameter{runParameter()},
		Return:     function.ObjectReturn{AttributeTypes: modelTypes},
	}}
}

func modelName(run *llmrun.Run) attr.Value {
	model := run.Model()
	return types.ObjectValueMust(modelTypes, map[string]attr.Value{
		"name": framework.StringOrNull(model.Name), "provider": framework.StringOrNull(model.Provider),
		"source": framework.StringOrNull(model.Source),
	})
}
