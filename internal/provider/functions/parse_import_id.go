package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

type parseImportID struct{}

// NewParseImportID takes an import ID apart.
func NewParseImportID() function.Function { return parseImportID{} }

type importID struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ID          types.String `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
}

func (parseImportID) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_import_id"
}

func (parseImportID) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Parses an import ID",
		MarkdownDescription: "Parses the import ID of a deployment: `ID`, `WORKSPACE_ID/ID`, `name:NAME` or " +
			"`WORKSPACE_ID/name:NAME`. The result has `workspace_id`, `id` and `name`; missing parts are null.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "import_id", MarkdownDescription: "Import ID, such as `name:chat`.",
		}},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"workspace_id": types.StringType, "id": types.StringType, "name": types.StringType,
		}},
	}
}

func (parseImportID) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	resp.Error = function.ConcatFuncErrors(resp.Error, req.Arguments.Get(ctx, &text))
	if resp.Error != nil {
		return
	}
	parsed, err := framework.ParseImportID(text)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error()+".")
		return
	}
	resp.Error = resp.Result.Set(ctx, importID{
		WorkspaceID: framework.StringOrNull(parsed.WorkspaceID),
		ID:          framework.StringOrNull(parsed.ID),
		Name:        framework.StringOrNull(parsed.Name),
	})
}
