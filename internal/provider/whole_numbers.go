package provider

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/direct"
)

// wholeNumberServer tells users of numbers that should be whole. Terraform knows only numbers, and the framework calls a
// fraction where its schema has an integer a bug of the provider.
type wholeNumberServer struct {
	direct.FrameworkServer
	provider direct.FrameworkProvider
}

// ValidateResourceConfig implements tfprotov6.ResourceServer.
func (s wholeNumberServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := s.FrameworkServer.ValidateResourceConfig(ctx, req)
	if err == nil && slices.ContainsFunc(resp.Diagnostics, isError) {
		resp.Diagnostics = withFractions(ctx, resp.Diagnostics, s.resourceType(ctx, req.TypeName), req.Config)
	}
	return resp, err
}

// ValidateDataResourceConfig implements tfprotov6.DataSourceServer.
func (s wholeNumberServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	resp, err := s.FrameworkServer.ValidateDataResourceConfig(ctx, req)
	if err == nil && slices.ContainsFunc(resp.Diagnostics, isError) {
		resp.Diagnostics = withFractions(ctx, resp.Diagnostics, s.dataSourceType(ctx, req.TypeName), req.Config)
	}
	return resp, err
}

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

// resourceType returns the type of a resource's configuration, nil for a resource that there isn't.
func (s wholeNumberServer) resourceType(ctx context.Context, typeName string) attr.Type {
	for _, construct := range s.provider.Resources(ctx) {
		r := construct()
		var named resource.MetadataResponse
		if r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: providerName}, &named); named.TypeName == typeName {
			var described resource.SchemaResponse
			r.Schema(ctx, resource.SchemaRequest{}, &described)
			return described.Schema.Type()
		}
	}
	return nil
}

// dataSourceType returns the type of a data source's configuration, nil for a data source that there isn't.
func (s wholeNumberServer) dataSourceType(ctx context.Context, typeName string) attr.Type {
	for _, construct := range s.provider.DataSources(ctx) {
		d := construct()
		var named datasource.MetadataResponse
		if d.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: providerName}, &named); named.TypeName == typeName {
			var described datasource.SchemaResponse
			d.Schema(ctx, datasource.SchemaRequest{}, &described)
			return described.Schema.Type()
		}
	}
	return nil
}

// withFractions returns diagnostics in which numbers that aren't whole are told as what they are. What the framework says of
// them stands on the attribute of the configuration that they are in, or on none.
func withFractions(ctx context.Context, diags []*tfprotov6.Diagnostic, kind attr.Type, config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
	if kind == nil {
		return diags
	}
	value, err := config.Unmarshal(kind.TerraformType(ctx))
	if err != nil {
		return diags
	}
	told := fractions(kind, value, tftypes.NewAttributePath())
	if len(told) == 0 {
		return diags
	}
	for _, d := range diags {
		if d.Attribute != nil && !slices.ContainsFunc(told, func(f *tfprotov6.Diagnostic) bool {
			return f.Attribute.Steps()[0].Equal(d.Attribute.Steps()[0])
		}) {
			told = append(told, d)
		}
	}
	return told
}

// fractions returns an error for each number in an object, and in the objects in it, that isn't whole or has more than 64
// bits, and shouldn't. No schema has integers in lists or maps that users write.
func fractions(kind attr.Type, value tftypes.Value, at *tftypes.AttributePath) []*tfprotov6.Diagnostic {
	if value.IsNull() || !value.IsKnown() {
		return nil
	}
	var found []*tfprotov6.Diagnostic
	switch kind := kind.(type) {
	case basetypes.Int64Typable:
		var number big.Float
		_ = value.As(&number)
		if _, accuracy := number.Int64(); accuracy != big.Exact {
			name := dotted(at)
			found = append(found, &tfprotov6.Diagnostic{
				Severity: tfprotov6.DiagnosticSeverityError, Attribute: at, Summary: "Invalid " + name,
				Detail: fmt.Sprintf("%s is %s; it must be a whole number of at most 64 bits.", name, framework.NumberText(&number)),
			})
		}
	case attr.TypeWithAttributeTypes:
		var attributes map[string]tftypes.Value
		_ = value.As(&attributes)
		for name, child := range kind.AttributeTypes() {
			found = append(found, fractions(child, attributes[name], at.WithAttributeName(name))...)
		}
	}
	return found
}
