package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var modelTypes = map[string]attr.Type{"name": types.StringType, "provider": types.StringType, "source": types.StringType}

type modelName struct{}

// NewModelName finds the model that a run has called.
func NewModelName() function.Function { return modelName{} }

func (modelName) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "model_name"
}

func (modelName) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Returns the model of a run",
		MarkdownDescription: "Returns an object with the `name` of the model that a run called, its `provider`, and the " +
			"`source` of the name. The name is the first of `extra.metadata.ls_model_name`, `inputs.model`, " +
			"`inputs.model_name` and the invocation parameters; the provider is `extra.metadata.ls_provider`. Missing " +
			"values are null.",
		Parameters: []function.Parameter{runParameter()},
		Return:     function.ObjectReturn{AttributeTypes: modelTypes},
	}
}

func (modelName) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	run, failed := decodeRun(text)
	if failed != nil {
		resp.Error = failed
		return
	}
	model := run.Model()
	answer(ctx, resp, modelTypes, map[string]attr.Value{
		"name": textOrNull(model.Name), "provider": textOrNull(model.Provider), "source": textOrNull(model.Source),
	})
}
