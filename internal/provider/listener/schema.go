package listener

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// listenerSchema is built once: attribute types are derived from it for every response.
var listenerSchema = sync.OnceValue(func() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A listener, which deploys `external_container` deployments to self-hosted compute. The resource " +
			"registers it; install the listener itself in the cluster, with the `id` of the resource. In LangSmith, it is part " +
			"of the [data plane](https://docs.langchain.com/langsmith/data-plane).\n\n~> A listener that deployments use can't " +
			"be deleted; the error names them.",
		Attributes: map[string]schema.Attribute{
			"compute_type": framework.ReplacingKnown(framework.KeptString("Type of the compute. Only `k8s` can be registered. Default: that " +
				"of the listener, and `k8s` for a new one. Changing it replaces the listener.")),
			"compute_id": framework.ReplacingKnown(framework.RequiredString("ID of the compute, for example the cluster's name; "+
				"unique in the workspace. Changing it replaces the listener, which fails while deployments use it.", stringvalidator.LengthAtLeast(1), framework.NotBlank())),
			"compute_config": schema.SingleNestedAttribute{
				Required:            true,
				MarkdownDescription: "Settings that depend on `compute_type`.",
				Attributes: map[string]schema.Attribute{
					"k8s_namespaces": schema.ListAttribute{
						Optional:    true,
						Computed:    true,
						ElementType: types.StringType,
						MarkdownDescription: "Namespaces that the listener may deploy to; null if unknown. `[]` allows none; " +
							"omit it to leave the list unmanaged.",
						PlanModifiers: []planmodifier.List{listplanmodifier.UseStateForUnknown()},
						Validators: []validator.List{
							listvalidator.UniqueValues(),
							listvalidator.ValueStringsAre(framework.DNSLabel()),
						},
					},
				},
			},
			"version":      framework.KeptString("Version of the listener, if it reports one. Removing it keeps the last value.", stringvalidator.LengthAtLeast(1)),
			"timeouts":     timeoutsAttribute(),
			"workspace_id": framework.ReplacingKnown(framework.ResourceWorkspaceAttribute("listener")),
			"id":           framework.ComputedString("ID of the listener: the `source_config.listener_id` of a deployment."),
			"created_at":   framework.ComputedString("Time of creation (RFC 3339)."),
			"updated_at":   framework.ComputedString("Time of the last change (RFC 3339)."),
		},
	}
})

// attributeTypes are those of the nested attribute name.
func attributeTypes(name string) map[string]attr.Type {
	return framework.NestedTypes(listenerSchema().Attributes[name].GetType())
}

func timeoutsAttribute() schema.Attribute {
	const description = "Timeouts of operations."
	return framework.Timeouts(context.Background(), description, timeouts.Opts{
		Delete:            true,
		DeleteDescription: "How long deleting may wait for the deletion of deployments, such as `30s` or `2h45m`. Default: `30m`.",
	})
}
