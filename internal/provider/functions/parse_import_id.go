package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

var importIDTypes = map[string]attr.Type{"workspace_id": types.StringType, "id": types.StringType, "name": types.StringType}

// NewParseImportID takes an import ID apart.
func NewParseImportID() function.Function {
	return spec{name: "parse_import_id", run: ofOne(parseImportID), definition: function.Definition{
		Summary: "Parses an import ID",
		MarkdownDescription: "Parses the import ID of a deployment: `ID`, `WORKSPACE_ID/ID`, `name:NAME` or " +
			"`WORKSPACE_ID/name:NAME`. The result has `workspace_id`, `id` and `name`; missing parts are null.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "import_id", MarkdownDescription: "Import ID, such as `name:chat`.",
		}},
		Return: function.ObjectReturn{AttributeTypes: importIDTypes},
	}}
}

func parseImportID(text string) (attr.Value, *function.FuncError) {
	parsed, err := framework.ParseImportID(text)
	if err != nil {
		return nil, function.NewArgumentFuncError(0, err.Error()+".")
	}
	return types.ObjectValueMust(importIDTypes, map[string]attr.Value{
		"workspace_id": framework.StringOrNull(parsed.WorkspaceID), "id": framework.StringOrNull(parsed.ID), "name": framework.StringOrNull(parsed.Name),
	}), nil
}
