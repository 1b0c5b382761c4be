package deployment

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// setTier is how a failure names the change of a tier.
const setTier = "set the tier of"

// failure describes a failed operation on the deployment m. sent is the environment in the request.
func (m model) failure(verb string, sent ...api.Secret) framework.Failure {
	name := m.Name.ValueString()
	conflict := "Another change of this deployment is in progress. Apply again when it has finished."
	if verb == "create" {
		conflict = fmt.Sprintf("If a deployment %q already exists and is yours, import it by its ID. %s", name, framework.Twice("name"))
	}
	timeout := "timeouts." + verb
	if verb == setTier || verb == "complete" { // Part of a create or an update.
		timeout = "timeouts"
	}
	existing := ""
	if verb != "create" && verb != "read" && m.ID.ValueString() != "" { // While it is created, the ID is unknown.
		existing = "deployment " + m.ID.ValueString()
	}
	return framework.Failure{
		Existing:      existing,
		Summary:       fmt.Sprintf("Cannot %s deployment %q", verb, cmp.Or(name, m.ID.ValueString())), // An import has no name yet.
		AttributePath: func(loc []api.LocStep) (path.Path, bool) { return m.attributePath(loc, sent) },
		NextSteps:     map[int]string{http.StatusConflict: conflict},
		TimeUp:        fmt.Sprintf("The operation timed out. To allow more time, raise %s.", timeout),
	}
}

// attributePath finds the attribute of a location in a request body. The API's list of secrets is several maps here, so an
// index into it is resolved by the order of the request.
func (m model) attributePath(loc []api.LocStep, sent []api.Secret) (path.Path, bool) {
	if loc[0].Key == "secrets" {
		return m.variablePath(loc[1:], sent)
	}
	return framework.SchemaPath(deploymentSchema(), loc)
}

func (m model) variablePath(loc []api.LocStep, sent []api.Secret) (path.Path, bool) {
	if len(loc) == 0 || loc[0].Index == nil {
		return path.Empty(), false
	}
	i := *loc[0].Index
	if i < 0 || i >= int64(len(sent)) {
		return path.Empty(), false
	}
	for attribute, variables := range m.variableMaps() {
		if _, ours := variables.Elements()[sent[i].Name]; ours {
			return path.Root(attribute).AtMapKey(sent[i].Name), true
		}
	}
	return path.Empty(), false // Not the resource's own, but preserved.
}

// errorAt returns an error about an attribute.
func errorAt(at path.Path, summary, format string, args ...any) (diags diag.Diagnostics) {
	diags.AddAttributeError(at, summary, fmt.Sprintf(format, args...))
	return diags
}

// warningAt returns a warning about an attribute.
func warningAt(at path.Path, summary, format string, args ...any) (diags diag.Diagnostics) {
	diags.AddAttributeWarning(at, summary, fmt.Sprintf(format, args...))
	return diags
}
