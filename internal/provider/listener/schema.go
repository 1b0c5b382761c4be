package listener

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// attributes are those of one listener; all of them are read from the service.
func attributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "ID of the listener, a UUID: the `source_config.listener_id` of a deployment.",
		},
		"compute_id": schema.StringAttribute{
			Computed: true,
			MarkdownDescription: "ID of the compute that the listener deploys to, for example the cluster's name; unique in " +
				"the workspace.",
		},
		"compute_type": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Kind of the compute. `k8s` is the only one known.",
		},
		"compute_config": schema.SingleNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Settings that depend on `compute_type`.",
			Attributes: map[string]schema.Attribute{
				"k8s_namespaces": schema.ListAttribute{
					Computed:    true,
					ElementType: types.StringType,
					MarkdownDescription: "Namespaces that the listener may deploy to: the choices for a deployment's " +
						"`source_config.listener_config.k8s_namespace`. Null when the service doesn't say.",
				},
			},
		},
		"version": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Version of the listener, where it reports one.",
		},
		"created_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "When the listener was registered (RFC 3339).",
		},
		"updated_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "When the listener was last changed (RFC 3339).",
		},
	}
}

// singleAttributes are attributes with the two that a listener can be looked up by.
func singleAttributes() map[string]schema.Attribute {
	all := attributes()
	all["workspace_id"] = framework.WorkspaceAttribute()
	all["id"] = schema.StringAttribute{
		Optional: true,
		Computed: true,
		MarkdownDescription: "ID of the listener, a UUID: the `source_config.listener_id` of a deployment. Exactly one of " +
			"`id` and `compute_id` is set.",
		Validators: []validator.String{
			stringvalidator.LengthAtLeast(1),
			stringvalidator.ExactlyOneOf(path.MatchRoot("compute_id")),
		},
	}
	all["compute_id"] = schema.StringAttribute{
		Optional: true,
		Computed: true,
		MarkdownDescription: "ID of the compute that the listener deploys to, for example the cluster's name; unique in " +
			"the workspace. Exactly one of `id` and `compute_id` is set.",
		Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
	}
	return all
}
