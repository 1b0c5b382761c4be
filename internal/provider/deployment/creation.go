package deployment

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/deployment/resourcespec"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// creation is a deployment that a plan creates.
type creation struct {
	planned model
	// state is that of the deployment that is destroyed first; its ID is null if there is none.
	state model
}

// recordKey is the key of the record in the private data.
const recordKey = "replaceable"

// record is what a plan needs to know of a deployment to replace it. To replace, Terraform plans an update and then a creation, which
// gets the private data of the first plan but not the state.
type record struct {
	ID             string `json:"id"`
	Protected      bool   `json:"protected,omitempty"`
	DeletesProject bool   `json:"deletes_project,omitempty"`
	// Checked says that the first plan has checked everything. It doesn't if no attribute requires the replacement (-replace,
	// replace_triggered_by).
	Checked bool `json:"checked,omitempty"`
}

// record returns the record of m, which may be a plan, in which the ID is still unknown.
func (m model) record(id string) record {
	return record{ID: id, Protected: m.DeletionProtection.ValueBool(), DeletesProject: m.DeleteTracingProject.ValueBool()}
}

func (r record) save(ctx context.Context, private framework.PrivateWriter) diag.Diagnostics {
	return framework.SavePrivate(ctx, private, recordKey, r)
}

// requested returns the creation that a plan without a state shows, with what is known of a deployment that it replaces on request:
// all that identifies it stays. It refuses to replace a protected deployment.
func (r *deploymentResource) requested(ctx context.Context, old record, planned model) (creation, diag.Diagnostics) {
	if old.ID == "" {
		return creation{planned: planned}, nil
	}
	var diags diag.Diagnostics
	p := creation{planned, planned}
	p.state.ID, p.state.DeleteTracingProject = types.StringValue(old.ID), types.BoolValue(old.DeletesProject)
	if old.Protected {
		diags.AddAttributeError(path.Root("deletion_protection"), "Deployment is protected",
			fmt.Sprintf("Deployment %q would be replaced on request, by -replace or replace_triggered_by, which destroys it, but its "+
				"deletion_protection is true. Set deletion_protection to false and apply that first, or revoke the request.",
				planned.Name.ValueString()))
	}
	if r.Client != nil && r.dialect().ProjectsBlockNames && !old.DeletesProject && !planned.WorkspaceID.IsUnknown() {
		current, err := listed(ctx, &r.ProviderData, r.In(planned.WorkspaceID), old.ID)
		if err != nil {
			return p, append(diags, p.notChecked(path.Root("name"), err)...)
		}
		p.state.ActiveRevisionID = framework.String(current.ActiveRevisionID)
	}
	return p, diags
}

func (p creation) replaces() bool { return !p.state.ID.IsNull() }

// keepsName says whether a replacement has the name of what it replaces.
func (p creation) keepsName() bool {
	return p.replaces() && p.planned.Name.Equal(p.state.Name) &&
		(p.state.WorkspaceID.IsNull() || p.planned.WorkspaceID.Equal(p.state.WorkspaceID)) // Null before the first refresh.
}

// check refuses what the service would refuse, and warns of what the plan can't check. Nothing may be destroyed before it is
// known that its replacement can be created.
func (r *deploymentResource) check(ctx context.Context, p creation) diag.Diagnostics {
	var diags diag.Diagnostics
	if !p.planned.Name.Equal(p.state.Name) { // A deployment already works with its name.
		diags.Append(refuseName(p.planned.Name)...)
		diags.Append(warnOfName(r.dialect(), p.planned)...)
	}
	sourceConfig, d := p.planned.sourceConfig()
	diags.Append(d...)
	diags.Append(resourcespec.RefuseDerived(sourceConfig.ResourceSpec)...)
	diags.Append(r.refuseNumbers(p.planned, p.state)...)
	diags.Append(refuseBlockedName(r.dialect(), p)...)
	request, d := p.planned.toCreate(ctx)
	diags.Append(d...)
	diags.Append(refuseBody(r.dialect(), p.planned, request)...)
	return append(diags, r.lookUp(ctx, p)...)
}

// refuseNumbers refuses new numbers in resource_spec that the service doesn't accept.
func (r *deploymentResource) refuseNumbers(planned, state model) diag.Diagnostics {
	wanted, diags := planned.sourceConfig()
	has, d := state.sourceConfig()
	diags.Append(d...)
	dialect := r.dialect()
	if r.Client == nil {
		dialect = nil
	}
	return append(diags, resourcespec.RefuseNumbers(dialect, wanted.ResourceSpec, has.ResourceSpec)...)
}

// refuseBlockedName refuses a replacement that would find its own name taken. If a deployment never served, its project is deleted
// with it.
func refuseBlockedName(dialect *api.Dialect, p creation) diag.Diagnostics {
	if !dialect.ProjectsBlockNames || !p.keepsName() || p.state.DeleteTracingProject.ValueBool() || p.state.ActiveRevisionID.IsNull() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("name"), "Replacement is not possible",
		fmt.Sprintf("Deployment %q would be replaced by one of the same name, but its tracing project is kept and reserves the "+
			"name: the old deployment would be destroyed, and the new one could not be created. Set delete_tracing_project to "+
			"true and apply that first, which deletes the traces with the deployment, or choose another name.", p.state.Name.ValueString()))}
}

// refuseBody refuses a request that is larger than the service accepts. Unknown values count as empty.
func refuseBody(dialect *api.Dialect, planned model, request any) diag.Diagnostics {
	data, err := json.Marshal(request)
	if err != nil || len(dialect.Body(data)) <= api.MaxBody {
		return nil // The client reports what can't be encoded.
	}
	size := func(value attr.Value) int { return len(value.String()) }
	attributes := map[string]attr.Value{
		"source_config": planned.SourceConfig, "source_revision_config": planned.SourceRevisionConfig, "environment": planned.Environment,
		"secrets": planned.Secrets, "secrets_wo": planned.SecretsWO, "secret_references": planned.SecretReferences,
	}
	largest := "environment"
	for name, value := range attributes {
		if size(value) > size(attributes[largest]) {
			largest = name
		}
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(largest), "Request is too large",
		fmt.Sprintf("The request for deployment %q has %d bytes, but the service accepts at most %d (10 MiB). The largest attribute is "+
			"%s: shorten it.", planned.Name.ValueString(), len(data), api.MaxBody, largest))}
}

// lookUp checks the known values of a creation against the service.
func (r *deploymentResource) lookUp(ctx context.Context, p creation) diag.Diagnostics {
	switch {
	case r.Memo != nil && r.Memo.Applying.Load():
		return nil // The plan has looked up what it could; what this apply has just created may not be listed yet.
	case r.Client == nil:
		return p.unknown(path.Root("name"))
	case p.planned.WorkspaceID.IsUnknown():
		return p.unknown(path.Root("workspace_id"))
	}
	c := r.In(p.planned.WorkspaceID)
	var diags diag.Diagnostics
	if p.planned.SourceConfig.IsUnknown() {
		diags.Append(p.unknown(path.Root("source_config"))...)
	} else {
		sourceConfig, d := p.planned.sourceConfig()
		diags.Append(d...)
		diags.Append(r.lookUpListener(ctx, c, p, sourceConfig)...)
		diags.Append(r.lookUpIntegration(ctx, c, p, sourceConfig)...)
	}
	return append(diags, r.lookUpName(ctx, c, p)...)
}

// unknown warns that a replacement isn't checked. For a new deployment, the apply shows any error in time.
func (p creation) unknown(at path.Path) diag.Diagnostics {
	if !p.replaces() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, "Replacement not checked",
		fmt.Sprintf("%s can't be checked against the service before the apply. If the service refuses it, deployment %q is "+
			"destroyed and the new one can't be created. To have it checked, first apply what it depends on, for example with "+
			"-target.", at, p.state.Name.ValueString()))}
}

// notChecked returns a warning after a failed look-up, and an error if a deployment would be destroyed without it.
func (p creation) notChecked(at path.Path, err error) diag.Diagnostics {
	if !p.replaces() {
		return notChecked(at, err)
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Replacement can't be checked",
		fmt.Sprintf("Deployment %q would be destroyed, but it isn't known whether the new one can be created, because looking up %s "+
			"failed: %s. Use a key that may read it, or make two applies: remove the deployment in the first, and add it again "+
			"in the second.", p.state.Name.ValueString(), at, strings.TrimSuffix(err.Error(), ".")))}
}

// lookUpListener refuses a listener or namespace that doesn't exist, and one that is missing although the service requires
// it.
func (r *deploymentResource) lookUpListener(ctx context.Context, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("listener_id")
	switch {
	case p.planned.Source.ValueString() != string(api.SourceExternalContainer):
		return nil
	case sourceConfig.ListenerID.IsUnknown():
		return p.unknown(at)
	}
	listeners, err := framework.Remember(r.Memo, lookup.ListenersKey(c), func() ([]api.Listener, error) {
		return client.Collect(c.ListListeners(ctx))
	})
	if err != nil {
		return p.notChecked(at, err)
	}
	describe := func(l api.Listener) string { return l.ID + " (" + l.ComputeID + ")" }
	id := sourceConfig.ListenerID.ValueString()
	switch i := slices.IndexFunc(listeners, func(l api.Listener) bool { return strings.EqualFold(l.ID, id) }); {
	case i >= 0 && !known(sourceConfig.ListenerConfig):
		return p.unknown(path.Root("source_config").AtName("listener_config"))
	case i >= 0:
		return refuseNamespace(listeners[i], sourceConfig.ListenerConfig)
	case !sourceConfig.ListenerID.IsNull():
		return unknownReference(at, id, "listener", listeners, describe)
	case len(listeners) > 0:
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Missing "+at.String(),
			fmt.Sprintf("%s is not set, but this workspace has listeners, and a deployment of source %q must specify "+
				"one. Set it to one of: %s.", at, api.SourceExternalContainer, described(listeners, describe)))}
	}
	return nil
}

func (r *deploymentResource) lookUpIntegration(ctx context.Context, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("integration_id")
	switch {
	case sourceConfig.IntegrationID.IsNull():
		return nil
	case sourceConfig.IntegrationID.IsUnknown():
		return p.unknown(at)
	}
	integrations, err := framework.Remember(r.Memo, "integrations/"+c.WorkspaceID(), func() ([]api.Integration, error) {
		return client.Collect(c.ListIntegrations(ctx))
	})
	if err != nil {
		return p.notChecked(at, err)
	}
	id := sourceConfig.IntegrationID.ValueString()
	if slices.ContainsFunc(integrations, func(i api.Integration) bool { return strings.EqualFold(i.ID, id) }) {
		return r.lookUpRepository(ctx, c, p, sourceConfig)
	}
	return unknownReference(at, id, "integration", integrations, func(i api.Integration) string { return i.ID + " (" + i.Name + ")" })
}

// lookUpRepository refuses a replacement by a deployment whose repository the integration can't access. For a new deployment, the
// service says so in time.
func (r *deploymentResource) lookUpRepository(ctx context.Context, c *client.Client, p creation, sourceConfig sourceConfigModel) diag.Diagnostics {
	at := path.Root("source_config").AtName("repo_url")
	has, diags := p.state.sourceConfig()
	id, url := sourceConfig.IntegrationID, sourceConfig.RepoURL
	switch {
	case !p.replaces() || url.IsNull() || id.Equal(has.IntegrationID) && url.Equal(has.RepoURL):
		return diags
	case url.IsUnknown():
		return append(diags, p.unknown(at)...)
	}
	accessible, err := framework.Remember(r.Memo, "repositories/"+id.ValueString(), func() ([]api.Repository, error) {
		return client.Collect(c.ListRepositories(ctx, id.ValueString()))
	})
	if err != nil {
		return append(diags, p.notChecked(at, err)...)
	}
	if slices.ContainsFunc(accessible, func(r api.Repository) bool { return sameRepository(r.URL, url.ValueString()) }) {
		return diags
	}
	diags.AddAttributeError(at, "Unknown repository",
		fmt.Sprintf("%s is %q, but integration %s can't access such a repository. The data source agentplane_integration_repositories lists the %d that "+
			"it can. Correct the URL, or give the app of the integration access to the repository.", at, url.ValueString(), id.ValueString(), len(accessible)))
	return diags
}
