package functions

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewEffectiveResources fills the documented defaults into a resource_spec.
func NewEffectiveResources() function.Function {
	return spec{name: "effective_resources", run: ofOne(effectiveResources), definition: function.Definition{
		Summary: "Fills the documented defaults into a resource_spec",
		MarkdownDescription: "Returns a `resource_spec` with the documented defaults of limits, queue and database that derive " +
			"from fields that are set, for example to check capacity in a plan. All other fields are returned unchanged.",
		Parameters: []function.Parameter{function.DynamicParameter{
			Name:                "resource_spec",
			MarkdownDescription: "An object with any of the fields of `source_config.resource_spec` of a deployment.",
		}},
		Return: function.DynamicReturn{},
	}}
}

func effectiveResources(argument types.Dynamic) (attr.Value, *function.FuncError) {
	given, ok := fields(argument.UnderlyingValue())
	if !ok {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("The value is %s, not an object with fields such as cpu and memory_mb.",
			kindOf(argument.UnderlyingValue())))
	}
	for _, derived := range api.DerivedFields {
		if err := derive(given, derived); err != nil {
			return nil, function.NewArgumentFuncError(0, err.Error())
		}
	}
	attributeTypes := map[string]attr.Type{}
	for name, value := range given {
		attributeTypes[name] = value.Type(context.Background()) // Types of values don't use it.
	}
	return types.DynamicValue(types.ObjectValueMust(attributeTypes, given)), nil
}

// fields are those of an object, or of a map, which Terraform makes of an object when it is told to.
func fields(value attr.Value) (map[string]attr.Value, bool) {
	switch v := value.(type) {
	case types.Object:
		return maps.Clone(v.Attributes()), !v.IsNull()
	case types.Map:
		return maps.Clone(v.Elements()), !v.IsNull()
	}
	return nil, false
}

// derive fills a field in that is absent or null, if what it follows from is there. Base fields that are themselves derived
// come earlier in the table.
func derive(given map[string]attr.Value, rule api.DerivedField) error {
	if value, there := given[rule.Field]; there && !value.IsNull() {
		return nil
	}
	base, there := given[rule.From]
	if !there || base.IsNull() {
		return nil
	}
	number, ok := base.(types.Number)
	if !ok {
		return fmt.Errorf("%s must be a number, because %s is derived from it", rule.From, rule.Field)
	}
	given[rule.Field] = types.NumberValue(new(big.Float).Mul(number.ValueBigFloat(), new(big.Float).SetInt64(rule.Factor)))
	return nil
}

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

const tagPrefix = "refs/tags/"

// tagName is what git accepts in the name of a tag, as far as one character decides.
var tagName = regexp.MustCompile(`^[^\s~^:?*\[\\]+$`)

// NewTagRef makes the full ref of a tag.
func NewTagRef() function.Function {
	return spec{name: "tag_ref", run: ofOne(tagRef), definition: function.Definition{
		Summary: "Returns the full Git ref of a tag",
		MarkdownDescription: "Returns the full Git ref of a tag, for `source_revision_config.repo_ref` of a deployment: " +
			"`v1.2.3` becomes `refs/tags/v1.2.3`. A full ref is returned unchanged.",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "tag", MarkdownDescription: "Name of the tag, such as `v1.2.3`.",
		}},
		Return: function.StringReturn{},
	}}
}

func tagRef(tag string) (attr.Value, *function.FuncError) {
	name := strings.TrimPrefix(tag, tagPrefix)
	if !tagName.MatchString(name) || strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") ||
		strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") {
		return nil, function.NewArgumentFuncError(0, fmt.Sprintf("%q is not the name of a tag, such as v1.2.3.", tag))
	}
	return types.StringValue(tagPrefix + name), nil
}
