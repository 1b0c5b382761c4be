package modelprice

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// failure is how a failed verb on the entry m is told.
func (m model) failure(verb string) framework.Failure {
	conflict := unique + " Change one of these, usually start_time or the name, or remove the other entry first."
	if verb == "delete" {
		conflict = "Another change of this entry is in progress, or something else still uses it: apply again once that is over."
	}
	return framework.Failure{
		Summary:       fmt.Sprintf("Cannot %s model price %s", verb, m.label()),
		AttributePath: attributePath,
		NextSteps:     map[int]string{http.StatusConflict: conflict},
	}
}

// unique says which entries the service refuses beside each other.
const unique = "No two entries of a workspace may have the same name, match_pattern, match_path, model_provider, start_time and " +
	"prompt_token_threshold."

// notCreated is how a failed creation of the entry m is told. A refusal leads to the entry that is in its way.
func notCreated(ctx context.Context, p *framework.ProviderData, m model, request api.ModelPriceRequest, err error) diag.Diagnostics {
	failure := m.failure("create")
	if client.StatusOf(err) != http.StatusConflict {
		return failure.Diagnostics(err)
	}
	// Without an answer, the general advice stands.
	prices, _ := p.In(m.WorkspaceID).ModelPrices(ctx)
	for _, price := range prices {
		if client.SamePlace(request, price) {
			failure.NextSteps[http.StatusConflict] = unique + " " + p.Taken(m.WorkspaceID, price.ID, "model price", "start_time or name")
		}
	}
	return failure.Diagnostics(err)
}

// label is the name or, while only an import knows the entry, its id.
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

// notOurs refuses an entry that belongs to no workspace.
func notOurs(price api.ModelPrice) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("Cannot manage model price %q", price.Name),
		fmt.Sprintf("The entry %s comes with the service and can't be changed. Create one of your own instead, with match_pattern %q: "+
			"entries of a workspace go before those of the service. If it is in the state, remove it from there: "+
			"`terraform state rm ADDRESS`.", price.ID, price.MatchPattern))}
}
