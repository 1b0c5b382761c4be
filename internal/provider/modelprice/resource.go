package modelprice

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// NewResource is the resource agentplane_model_price.
func NewResource() resource.Resource {
	return framework.NewResource(framework.ResourceSpec[model]{
		Name: "model_price", Noun: "model price", Schema: modelPriceSchema, Importer: importer, Failure: model.failure,
		Label:     func(m model) string { return fmt.Sprintf("%s (%s)", m.label(), m.ID.ValueString()) },
		Workspace: func(m *model) *types.String { return &m.WorkspaceID },
		Unique: framework.UniqueKey[model]{
			Attribute: "name", Words: keyWords, ID: func(m model) types.String { return m.ID }, Values: model.key, Holder: holder, InPlace: true,
		},
		Plan: plan, Create: create, Taken: taken, Confirm: framework.Confirming(newModel, get), Read: read, Update: update, Delete: remove,
	})
}

// holder returns the ID of the entry that has the place of a planned one.
func holder(ctx context.Context, provider *framework.ProviderData, planned model) (string, error) {
	request := planned.toRequest()
	prices, err := listPrices(ctx, provider, planned.WorkspaceID)
	for _, price := range prices {
		if client.SamePlace(request, price) {
			return price.ID, nil
		}
	}
	return "", err
}

func create(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	defer forget(op.ProviderData, op.Plan.WorkspaceID)
	created, err := op.In(op.Plan.WorkspaceID).CreateModelPrice(ctx, op.Plan.toRequest())
	return framework.Answer(ctx, op, newModel, created, err)
}

// taken identifies the entry that has the place of one that can't be created.
func taken(ctx context.Context, op *framework.Operation[model]) string {
	forget(op.ProviderData, op.Plan.WorkspaceID)
	id, err := holder(ctx, op.ProviderData, op.Plan)
	if err != nil || id == "" {
		return ""
	}
	return op.Taken(op.Plan.WorkspaceID, id, "model price", "start_time or name")
}

func get(ctx context.Context, c *client.Client, created model) (*api.ModelPrice, error) {
	return c.ModelPrices().Get(ctx, created.ID.ValueString())
}

func read(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	price, err := find(ctx, op.ProviderData, op.State.WorkspaceID, op.State.ID.ValueString())
	switch {
	case err != nil:
		return nil, op.Failed(ctx, err)
	case price == nil:
		return nil, nil
	case price.TenantID == nil:
		return nil, notOurs(*price)
	}
	return new(newModel(*op.State, *price)), nil
}

func update(ctx context.Context, op *framework.Operation[model]) (*model, diag.Diagnostics) {
	if !op.Plan.differs(*op.State) {
		return op.State, nil
	}
	defer forget(op.ProviderData, op.State.WorkspaceID)
	updated, err := op.In(op.State.WorkspaceID).UpdateModelPrice(ctx, op.State.ID.ValueString(), op.Plan.toRequest())
	return framework.Answer(ctx, op, newModel, updated, err)
}

func remove(ctx context.Context, op *framework.Operation[model]) diag.Diagnostics {
	defer forget(op.ProviderData, op.State.WorkspaceID)
	return op.Deleted(ctx, op.In(op.State.WorkspaceID).ModelPrices().Delete(ctx, op.State.ID.ValueString()))
}

// failure describes a failed operation on the entry m.
func (m model) failure(verb string) framework.Failure {
	conflict := unique + " Change one of these, usually start_time or the name, or remove the other entry first."
	if verb == "delete" {
		conflict = "Another change of this entry is in progress, or it is still in use. Apply again when that has " +
			"finished."
	}
	return framework.Failure{
		Summary:       fmt.Sprintf("Cannot %s model price %s", verb, m.label()),
		AttributePath: attributePath,
		Existing:      "model price " + m.ID.ValueString(),
		NextSteps:     map[int]string{http.StatusConflict: conflict},
	}
}

// keyWords are the attributes of key.
const keyWords = "name, match_pattern, match_path, model_provider, start_time and prompt_token_threshold"

// unique is the rule for the entries of a workspace.
const unique = "No two entries of a workspace may have the same " + keyWords + "."

// label is the name or, during an import, the ID.
func (m model) label() string {
	if m.Name.IsNull() {
		return fmt.Sprintf("%q", m.ID.ValueString())
	}
	return fmt.Sprintf("%q", m.Name.ValueString())
}

// attributePath finds the attribute of a location in a request body.
func attributePath(loc []api.LocStep) (path.Path, bool) {
	if loc[0].Key == "provider" {
		return path.Root("model_provider"), true
	}
	return framework.SchemaPath(modelPriceSchema(), loc)
}

// notOurs refuses a built-in entry, which belongs to no workspace.
func notOurs(price api.ModelPrice) diag.Diagnostics {
	return framework.NewError(fmt.Sprintf("Cannot manage model price %q", price.Name), "The entry %s is built in and can't be changed. Create your "+
		"own entry instead, with match_pattern %q: entries of a workspace take precedence over built-in ones. If the built-in entry is in the "+
		"state, remove it with `terraform state rm ADDRESS`.", price.ID, price.MatchPattern)
}

var importer = framework.Importer{
	TypeName: "agentplane_model_price", Noun: "model price", Example: "name:example-large",
	Hint: " Built-in entries can't be managed.",
	IDsByName: func(ctx context.Context, p *framework.ProviderData, workspaceID types.String, name string) ([]string, error) {
		own := client.Filter(client.Items(listPrices(ctx, p, workspaceID)), func(price api.ModelPrice) bool { return price.TenantID != nil && price.Name == name })
		return framework.IDs(own, func(price api.ModelPrice) string { return price.ID })
	},
}
