package resourcespec

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Kubernetes' own shapes, in snake case. A free-form object is a JSON string with the suffix _json: the plugin framework
// doesn't support dynamic types inside lists.

func volumesAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true,
		MarkdownDescription: "Volumes for the containers. Each has exactly one source, a Kubernetes volume source as JSON " +
			"(`jsonencode`).",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":                         framework.RequiredString("Name of the volume, a unique DNS label.", framework.DNSLabel()),
			"config_map_json":              jsonObject("Kubernetes `configMap`"),
			"secret_json":                  jsonObject("Kubernetes `secret`, which refers to a secret by name"),
			"empty_dir_json":               jsonObject("Kubernetes `emptyDir`"),
			"persistent_volume_claim_json": jsonObject("Kubernetes `persistentVolumeClaim`"),
			"nfs_json":                     jsonObject("Kubernetes `nfs`"),
			"projected_json":               jsonObject("Kubernetes `projected`"),
			"downward_api_json":            jsonObject("Kubernetes `downwardAPI`"),
			"csi_json":                     jsonObject("Kubernetes `csi`"),
		}},
	}
}

func volumeMountsAttribute(description string) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":       framework.RequiredString("Name of one of `volumes`.", framework.DNSLabel()),
			"mount_path": framework.RequiredString("Absolute path in the container; unique.", mountPathValidator()),
			"sub_path":   framework.OptionalString("Relative path within the volume. Default: its root.", subPathValidator()),
			"sub_path_expr": framework.OptionalString(
				"Like `sub_path`, with `$(VAR_NAME)` expanded from the container's environment. Conflicts with `sub_path`.",
				subPathValidator(),
			),
			"mount_propagation": framework.OptionalString(
				"How mounts propagate: `None`, `HostToContainer` or `Bidirectional`.",
				framework.OneOf("None", "HostToContainer", "Bidirectional"),
			),
			"read_only": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether the mount is read-only. Default: `false`.",
			},
		}},
	}
}

func containersAttribute(description string) schema.ListNestedAttribute {
	quantities := mapvalidator.ValueStringsAre(quantityValidator())
	return schema.ListNestedAttribute{
		Optional: true, MarkdownDescription: description,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":  framework.RequiredString("Name of the container, a unique DNS label.", framework.DNSLabel()),
			"image": framework.RequiredString("Container image.", framework.Image()),
			"image_pull_policy": framework.OptionalString(
				"When to pull the image: `Always`, `Never` or `IfNotPresent`.",
				framework.OneOf("Always", "Never", "IfNotPresent"),
			),
			"command": textList("Entrypoint, not run in a shell. Default: the image's."),
			"args":    textList("Arguments of the entrypoint. Default: the image's."),
			"working_dir": framework.OptionalString(
				"Directory to run in. Default: the image's."),
			"env": schema.ListNestedAttribute{
				Optional: true, MarkdownDescription: "Environment variables of the container.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name": framework.RequiredString("Name of the variable.", identifierValidator()),
					"value": schema.StringAttribute{
						Optional: true, Sensitive: true,
						MarkdownDescription: "Value of the variable, hidden in plans but stored in state. Default: empty.",
					},
					"value_from_json": jsonObject("Kubernetes `valueFrom` source of the value, instead of `value`"),
				}},
			},
			"env_from_json": schema.ListAttribute{
				Optional: true, ElementType: jsontypes.NormalizedType{},
				MarkdownDescription: "Kubernetes `envFrom` sources, each as JSON.",
				Validators:          []validator.List{listvalidator.ValueStringsAre(jsonObjectValidator())},
			},
			"resources": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: "Compute of the container, in Kubernetes quantities.",
				Attributes: map[string]schema.Attribute{
					"limits":   texts("Limits, such as `{ memory = \"512Mi\" }`.", quantities),
					"requests": texts("Requests, such as `{ cpu = \"250m\" }`; at most the limit of the same name.", quantities),
				},
			},
			"volume_mounts":         volumeMountsAttribute("Mounts of the container."),
			"security_context_json": jsonObject("Kubernetes `securityContext` of the container"),
			"restart_policy": framework.OptionalString(
				"When to restart a sidecar: `Always` or `OnFailure`. Not for init containers.",
				framework.OneOf("Always", "OnFailure"),
			),
		}},
	}
}

func jsonObject(what string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, CustomType: jsontypes.NormalizedType{},
		MarkdownDescription: what + ", as JSON.",
		Validators:          []validator.String{jsonObjectValidator()},
	}
}

func textList(description string) schema.ListAttribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: description,
	}
}
