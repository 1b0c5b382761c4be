package modelprice

import (
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

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

// unique says what must be unique among the entries of a workspace.
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
	return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("Cannot manage model price %q", price.Name),
		fmt.Sprintf("The entry %s is built in and can't be changed. Create your own entry instead, with match_pattern "+
			"%q: entries of a workspace take precedence over built-in ones. If the built-in entry is in the state, "+
			"remove it with `terraform state rm ADDRESS`.", price.ID, price.MatchPattern))}
}
