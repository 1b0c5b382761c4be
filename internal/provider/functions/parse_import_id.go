package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewParseImportID takes an import ID apart.
func NewParseImportID() function.Function {
	return spec{name: "parse_import_id", run: parseImportID, definition: function.Definition{
		Summary: "Parses an import ID",
		MarkdownDescription: "Parses the import ID of a deployment: `ID`, `WORKSPACE_ID/ID`, `name:NAME` or " +
			"`WORKSPACE_ID/name:NAME`. The result has `workspace_id`, `id` and `name`; missing parts are null.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "import_id", MarkdownDescription: "Import ID, such as `name:chat`.",
		}},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"workspace_id": types.StringType, "id": types.StringType, "name": types.StringType,
		}},
	}}
}

type importID struct {
	WorkspaceID types.String `tfsdk:"workspace_id"`
	ID          types.String `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
}

func parseImportID(ctx context.Context, arguments function.ArgumentsData, result *function.ResultData) *function.FuncError {
	var text string
	if failed := arguments.Get(ctx, &text); failed != nil {
		return failed
	}
	parsed, err := framework.ParseImportID(text)
	if err != nil {
		return function.NewArgumentFuncError(0, err.Error()+".")
	}
	return result.Set(ctx, importID{
		WorkspaceID: framework.StringOrNull(parsed.WorkspaceID),
		ID:          framework.StringOrNull(parsed.ID),
		Name:        framework.StringOrNull(parsed.Name),
	})
}
