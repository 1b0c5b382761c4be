package main

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The parts of "terraform providers schema -json" that this provider uses.
type (
	document struct {
		FormatVersion string                     `json:"format_version"`
		Schemas       map[string]providerSchemas `json:"provider_schemas"`
	}
	providerSchemas struct {
		Provider                *schema             `json:"provider"`
		ResourceSchemas         map[string]*schema  `json:"resource_schemas,omitempty"`
		DataSourceSchemas       map[string]*schema  `json:"data_source_schemas,omitempty"`
		ResourceIdentitySchemas map[string]identity `json:"resource_identity_schemas,omitempty"`
		ListResourceSchemas     map[string]*schema  `json:"list_resource_schemas,omitempty"`
		EphemeralSchemas        map[string]*schema  `json:"ephemeral_resource_schemas,omitempty"`
		ActionSchemas           map[string]action   `json:"action_schemas,omitempty"`
		Functions               map[string]function `json:"functions,omitempty"`
	}
	action struct {
		Block block `json:"block"`
	}
	function struct {
		Description        string       `json:"description,omitempty"`
		Summary            string       `json:"summary,omitempty"`
		DeprecationMessage string       `json:"deprecation_message,omitempty"`
		ReturnType         tftypes.Type `json:"return_type"`
		Parameters         []parameter  `json:"parameters,omitempty"`
		VariadicParameter  *parameter   `json:"variadic_parameter,omitempty"`
	}
	parameter struct {
		Name        string       `json:"name"`
		Description string       `json:"description,omitempty"`
		IsNullable  bool         `json:"is_nullable,omitempty"`
		Type        tftypes.Type `json:"type"`
	}
	schema struct {
		Version int64 `json:"version"`
		Block   block `json:"block"`
	}
	block struct {
		Attributes      map[string]attribute `json:"attributes,omitempty"`
		Description     string               `json:"description,omitempty"`
		DescriptionKind string               `json:"description_kind,omitempty"`
		Deprecated      bool                 `json:"deprecated,omitempty"`
	}
	attribute struct {
		Type            tftypes.Type `json:"type,omitempty"`
		NestedType      *nested      `json:"nested_type,omitempty"`
		Description     string       `json:"description,omitempty"`
		DescriptionKind string       `json:"description_kind,omitempty"`
		Deprecated      bool         `json:"deprecated,omitempty"`
		Required        bool         `json:"required,omitempty"`
		Optional        bool         `json:"optional,omitempty"`
		Computed        bool         `json:"computed,omitempty"`
		Sensitive       bool         `json:"sensitive,omitempty"`
		WriteOnly       bool         `json:"write_only,omitempty"`
	}
	nested struct {
		Attributes  map[string]attribute `json:"attributes"`
		NestingMode string               `json:"nesting_mode"`
	}
	identity struct {
		Version    int64                        `json:"version"`
		Attributes map[string]identityAttribute `json:"attributes"`
	}
	identityAttribute struct {
		Type              tftypes.Type `json:"type"`
		Description       string       `json:"description,omitempty"`
		RequiredForImport bool         `json:"required_for_import,omitempty"`
		OptionalForImport bool         `json:"optional_for_import,omitempty"`
	}
)

func newProviderSchemas(schemas *tfprotov6.GetProviderSchemaResponse, identities *tfprotov6.GetResourceIdentitySchemasResponse) providerSchemas {
	all := providerSchemas{
		Provider:                newSchema(schemas.Provider),
		ResourceSchemas:         map[string]*schema{},
		DataSourceSchemas:       map[string]*schema{},
		ResourceIdentitySchemas: map[string]identity{},
		ListResourceSchemas:     map[string]*schema{},
		EphemeralSchemas:        map[string]*schema{},
		ActionSchemas:           map[string]action{},
		Functions:               map[string]function{},
	}
	for name, s := range schemas.ResourceSchemas {
		all.ResourceSchemas[name] = newSchema(s)
	}
	for name, s := range schemas.DataSourceSchemas {
		all.DataSourceSchemas[name] = newSchema(s)
	}
	for name, s := range identities.IdentitySchemas {
		all.ResourceIdentitySchemas[name] = newIdentity(s)
	}
	for name, s := range schemas.ListResourceSchemas {
		all.ListResourceSchemas[name] = newSchema(s)
	}
	for name, s := range schemas.EphemeralResourceSchemas {
		all.EphemeralSchemas[name] = newSchema(s)
	}
	for name, s := range schemas.ActionSchemas {
		all.ActionSchemas[name] = action{Block: newSchema(s.Schema).Block}
	}
	for name, f := range schemas.Functions {
		all.Functions[name] = newFunction(f)
	}
	return all
}

func newFunction(f *tfprotov6.Function) function {
	converted := function{
		Description: f.Description, Summary: f.Summary, DeprecationMessage: f.DeprecationMessage, ReturnType: f.Return.Type,
	}
	for _, p := range f.Parameters {
		converted.Parameters = append(converted.Parameters, newParameter(p))
	}
	if f.VariadicParameter != nil {
		variadic := newParameter(f.VariadicParameter)
		converted.VariadicParameter = &variadic
	}
	return converted
}

func newParameter(p *tfprotov6.FunctionParameter) parameter {
	return parameter{Name: p.Name, Description: p.Description, IsNullable: p.AllowNullValue, Type: p.Type}
}

func newSchema(s *tfprotov6.Schema) *schema {
	return &schema{
		Version: s.Version,
		Block: block{
			Attributes:      newAttributes(s.Block.Attributes),
			Description:     s.Block.Description,
			DescriptionKind: kind(s.Block.DescriptionKind),
			Deprecated:      s.Block.Deprecated,
		},
	}
}

func newAttributes(attributes []*tfprotov6.SchemaAttribute) map[string]attribute {
	all := map[string]attribute{}
	for _, a := range attributes {
		converted := attribute{
			Type: a.Type, Description: a.Description, DescriptionKind: kind(a.DescriptionKind), Deprecated: a.Deprecated,
			Required: a.Required, Optional: a.Optional, Computed: a.Computed, Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
		}
		if a.NestedType != nil {
			converted.NestedType = &nested{
				Attributes:  newAttributes(a.NestedType.Attributes),
				NestingMode: strings.ToLower(a.NestedType.Nesting.String()),
			}
		}
		all[a.Name] = converted
	}
	return all
}

func newIdentity(s *tfprotov6.ResourceIdentitySchema) identity {
	all := identity{Version: s.Version, Attributes: map[string]identityAttribute{}}
	for _, a := range s.IdentityAttributes {
		all.Attributes[a.Name] = identityAttribute{
			Type: a.Type, Description: a.Description,
			RequiredForImport: a.RequiredForImport, OptionalForImport: a.OptionalForImport,
		}
	}
	return all
}

func kind(k tfprotov6.StringKind) string {
	if k == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}
