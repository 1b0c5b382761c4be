package main

import (
	"context"
	"strconv"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// amount is how many strings the resource has.
const amount = 10

// stringsResource keeps what it is given in the state, and nowhere else.
type stringsResource struct{}

func newStrings() resource.Resource { return stringsResource{} }

// Metadata implements resource.Resource.
func (stringsResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_strings"
}

// Schema implements resource.Resource.
func (stringsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Computed: true, MarkdownDescription: "ID of the resource.",
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
	}
	for i := range amount {
		attributes["s"+strconv.Itoa(i)] = schema.StringAttribute{Optional: true, MarkdownDescription: "Any string."}
	}
	resp.Schema = schema.Schema{MarkdownDescription: "Ten strings.", Attributes: attributes}
}

// Create implements resource.Resource.
func (stringsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), uuid.NewString())...)
}

// Read implements resource.Resource. The state stays as it is.
func (stringsResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update implements resource.Resource.
func (stringsResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete implements resource.Resource.
func (stringsResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
