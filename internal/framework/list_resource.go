package framework

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// ListSpec describes a list resource: what terraform query finds for a configuration of type Config.
type ListSpec[Config, Item any] struct {
	// TypeName is the name of the resource without the provider's prefix, and Plural the word for items in messages.
	TypeName, Plural string
	// Description describes the list resource, in Markdown. Filters are its attributes in addition to workspace_id, as a resource would have
	// them.
	Description string
	Filters     map[string]resourceschema.Attribute
	// Items returns the items for a configuration.
	Items func(ctx context.Context, c *client.Client, config Config) (iter.Seq2[Item, error], diag.Diagnostics)
	// Name returns the display name of an item.
	Name func(Item) string
	// Model returns the model of the whole resource. If Complete is set, it needs only what the identity consists of.
	Model func(workspaceID types.String, item Item) Identified
	// Complete returns the model of the whole resource where that takes requests. It is only called if a query includes resources.
	Complete func(ctx context.Context, c *client.Client, workspaceID types.String, item Item) (Identified, diag.Diagnostics)
}

// NewListResource returns the list resource of a spec.
func NewListResource[Config, Item any](spec ListSpec[Config, Item]) list.ListResource {
	return &listResource[Config, Item]{spec: spec}
}

type listResource[Config, Item any] struct {
	Resource
	spec ListSpec[Config, Item]
}

// ListFilter is an attribute by which a list resource filters. Without validators, any text that isn't empty is valid.
func ListFilter(description string, validators ...validator.String) resourceschema.StringAttribute {
	if validators == nil {
		validators = []validator.String{stringvalidator.LengthAtLeast(1)}
	}
	return OptionalString(description, validators...)
}

// Metadata implements list.ListResource. The name is that of the resource.
func (l *listResource[Config, Item]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + l.spec.TypeName
}

// ListResourceConfigSchema implements list.ListResource.
func (l *listResource[Config, Item]) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: l.spec.Description,
		Attributes:          attributesAs[schema.Attribute](l.spec.Filters, schema.StringAttribute{}, schema.ListAttribute{}),
	}
}

// List implements list.ListResource.
func (l *listResource[Config, Item]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config Config
	var workspaceID types.String
	diags := l.Configured()
	diags.Append(Read(ctx, req.Config.Schema, req.Config.Raw, &config)...)
	diags.Append(req.Config.GetAttribute(ctx, path.Root("workspace_id"), &workspaceID)...)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	c := l.In(workspaceID)
	items, diags := l.spec.Items(ctx, c, config)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		var last *list.ListResult // Held back until it is known whether there are more.
		count := int64(0)
		for item, err := range items {
			if req.Limit > 0 && count >= req.Limit {
				if err == nil {
					last.Diagnostics.AddWarning("The list is not complete", fmt.Sprintf("The limit of this query is %d, and the "+
						"service has more %s. Set limit in the list block, or narrow the query.", req.Limit, l.spec.Plural))
				}
				break
			}
			if err != nil {
				if last == nil || push(*last) {
					push(list.ListResult{Diagnostics: Failure{Summary: "Cannot list " + l.spec.Plural}.Diagnostics(err)})
				}
				return
			}
			result := l.result(ctx, req, c, item)
			if result.Identity == nil { // It was left out, which doesn't count.
				if !push(result) {
					return
				}
				continue
			}
			if last != nil && !push(*last) {
				return
			}
			last = &result
			count++
		}
		if last != nil {
			push(*last)
		}
	}
}

// result returns an item. If its resource can't be read, the result is only a warning: one item must not end a whole query.
func (l *listResource[Config, Item]) result(ctx context.Context, req list.ListRequest, c *client.Client, item Item) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = l.spec.Name(item)
	workspaceID := StringOrNull(c.WorkspaceID())
	model := l.spec.Model(workspaceID, item)
	result.Diagnostics.Append(result.Identity.Set(ctx, model.ResourceIdentity())...)
	if !req.IncludeResource {
		return result
	}
	if l.spec.Complete != nil {
		var diags diag.Diagnostics
		model, diags = l.spec.Complete(ctx, c, workspaceID, item)
		if diags.HasError() && ctx.Err() == nil {
			return list.ListResult{Diagnostics: AsWarnings(diags, "The list leaves it out.")}
		}
		result.Diagnostics.Append(diags...)
		if diags.HasError() {
			return result
		}
	}
	result.Diagnostics.Append(Write(ctx, result.Resource.Schema, &result.Resource.Raw, model)...)
	return result
}
