package resourcespec

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

const doNotUse = "The service has deprecated this field. It is available to keep existing settings."

// Attribute is resource_spec in the schema of a deployment.
func Attribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Compute of the deployment. Only for `external_container`. Fields that aren't set aren't managed. " +
			"Removing a field restores the service's default if this resource has sent it, but not if it was only adopted, for " +
			"example by an import. Removing all of `resource_spec` changes nothing in the service; `{}` removes the fields. " +
			"**New revision**.",
		Attributes: map[string]schema.Attribute{
			"min_scale":       count("Minimum replicas."),
			"max_scale":       count("Maximum replicas; at least `min_scale`."),
			"cpu":             cores("CPU request per replica, in whole cores; with LangSmith, 0.1 to 8, rounded to one decimal."),
			"cpu_limit":       cores("CPU limit per replica; with LangSmith, up to 16. Default: twice `cpu`."),
			"memory_mb":       megabytes("Memory request per replica, in MB."),
			"memory_limit_mb": megabytes("Memory limit per replica, in MB. Default: twice `memory_mb`."),

			"queue_min_scale":       count("Minimum queue replicas. Default: `min_scale`."),
			"queue_max_scale":       count("Maximum queue replicas. Default: `max_scale`."),
			"queue_cpu":             cores("CPU request per queue replica. Default: `cpu`."),
			"queue_cpu_limit":       cores("CPU limit per queue replica. Default: twice `queue_cpu`."),
			"queue_memory_mb":       megabytes("Memory request per queue replica, in MB. Default: `memory_mb`."),
			"queue_memory_limit_mb": megabytes("Memory limit per queue replica, in MB. Default: twice `queue_memory_mb`."),

			"cache_memory_mb": megabytes("Memory of the cache store, in MB."),

			"db_cpu":             cores("Database CPU request, in cores."),
			"db_cpu_limit":       cores("Database CPU limit, in cores. Default: twice `db_cpu`."),
			"db_memory_mb":       megabytes("Database memory request, in MB."),
			"db_memory_limit_mb": megabytes("Database memory limit, in MB. Default: twice `db_memory_mb`."),
			"db_storage_gi":      count("Database storage, in GiB."),
			"db_max_connections": count("Maximum database connections."),

			"labels": framework.OptionalTexts("Labels of the created Kubernetes resources.",
				mapvalidator.KeysAre(labelKeyValidator()), mapvalidator.ValueStringsAre(labelValueValidator())),
			"annotations": framework.OptionalTexts("Annotations of the created Kubernetes resources.", mapvalidator.KeysAre(labelKeyValidator())),
			"service_account_name": framework.OptionalString("Kubernetes service account to run as, in the deployment's namespace.",
				framework.DNSSubdomain()),
			"image_pull_secrets": pullSecretsAttribute(),
			"volumes":            volumesAttribute(),
			"volume_mounts":      volumeMountsAttribute("Mounts of the main container."),
			"init_containers": containersAttribute("Containers that run to completion, in order, before the main container " +
				"starts."),
			"sidecars": containersAttribute("Containers that run beside the main container."),

			"orchestrator_cpu":             deprecatedCores("Orchestrator CPU request, in cores."),
			"orchestrator_cpu_limit":       deprecatedCores("Orchestrator CPU limit, in cores."),
			"orchestrator_memory_mb":       deprecated("Orchestrator memory request, in MB."),
			"orchestrator_memory_limit_mb": deprecated("Orchestrator memory limit, in MB."),
			"orchestrator_min_scale":       deprecated("Minimum orchestrator replicas."),
			"orchestrator_max_scale":       deprecated("Maximum orchestrator replicas."),
			"executor_cpu":                 deprecatedCores("Executor CPU request, in cores."),
			"executor_cpu_limit":           deprecatedCores("Executor CPU limit, in cores."),
			"executor_memory_mb":           deprecated("Executor memory request, in MB."),
			"executor_memory_limit_mb":     deprecated("Executor memory limit, in MB."),
		},
	}
}

func pullSecretsAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Kubernetes secrets with registry credentials, in the deployment's namespace.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name": framework.RequiredString("Name of the secret.", framework.DNSSubdomain()),
		}},
	}
}

func count(description string) schema.Int64Attribute {
	return framework.OptionalInt64(description, framework.AtLeast(0))
}

func megabytes(description string) schema.Int64Attribute {
	return framework.OptionalInt64(description, framework.AtLeast(1))
}

func cores(description string) schema.Float64Attribute {
	return schema.Float64Attribute{
		Optional: true, MarkdownDescription: description,
		Validators: []validator.Float64{framework.AtLeast(0)},
	}
}

func deprecated(description string) schema.Int64Attribute {
	attribute := count(description)
	attribute.DeprecationMessage = doNotUse
	return attribute
}

func deprecatedCores(description string) schema.Float64Attribute {
	attribute := cores(description)
	attribute.DeprecationMessage = doNotUse
	return attribute
}

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
			"sub_path_expr": framework.OptionalString("Like `sub_path`, with `$(VAR_NAME)` expanded from the container's environment. Conflicts "+
				"with `sub_path`.", subPathValidator()),
			"mount_propagation": framework.OptionalString("How mounts propagate: `None`, `HostToContainer` or `Bidirectional`.",
				framework.OneOf("None", "HostToContainer", "Bidirectional")),
			"read_only": framework.OptionalBool("Whether the mount is read-only. Default: `false`."),
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
			"image_pull_policy": framework.OptionalString("When to pull the image: `Always`, `Never` or `IfNotPresent`.",
				framework.OneOf("Always", "Never", "IfNotPresent")),
			"command":     framework.OptionalTextList("Entrypoint, not run in a shell. Default: the image's."),
			"args":        framework.OptionalTextList("Arguments of the entrypoint. Default: the image's."),
			"working_dir": framework.OptionalString("Directory to run in. Default: the image's."),
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
					"limits":   framework.OptionalTexts("Limits, such as `{ memory = \"512Mi\" }`.", quantities),
					"requests": framework.OptionalTexts("Requests, such as `{ cpu = \"250m\" }`; at most the limit of the same name.", quantities),
				},
			},
			"volume_mounts":         volumeMountsAttribute("Mounts of the container."),
			"security_context_json": jsonObject("Kubernetes `securityContext` of the container"),
			"restart_policy": framework.OptionalString("When to restart a sidecar: `Always` or `OnFailure`. Not for init containers.",
				framework.OneOf("Always", "OnFailure")),
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

// Validators of single values. They refuse what the service is known to refuse, so that the plan can name the attribute.

// identifierValidator accepts names of variables of init containers and sidecars, for which the service has stricter rules.
func identifierValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`),
		"must be the name of an environment variable: letters, digits and underscores, not starting with a digit")
}

const labelName = `([A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)`

func labelKeyValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/)?`+labelName+`$`),
		"must be a Kubernetes key: at most 63 letters, digits, dashes, dots and underscores, starting and ending with a "+
			"letter or digit, with an optional prefix of a DNS name and a slash")
}

func labelValueValidator() validator.String {
	return framework.Matches(regexp.MustCompile(`^`+labelName+`?$`), "must be the value of a Kubernetes label: empty, or at most 63 letters, "+
		"digits, dashes, dots and underscores, starting and ending with a letter or digit")
}

func quantityValidator() validator.String {
	return framework.Check{Wanted: "a Kubernetes quantity, such as 250m or 512Mi", Problem: func(value string) error {
		_, err := parseQuantity(value)
		return err
	}}
}

func mountPathValidator() validator.String {
	return framework.Check{Wanted: "an absolute path, such as /data", Problem: func(value string) error {
		switch {
		case !strings.HasPrefix(value, "/"):
			return errors.New("it doesn't start with a slash")
		case strings.Contains(value, ":"):
			return errors.New("it contains a colon")
		}
		return nil
	}}
}

func subPathValidator() validator.String {
	return framework.Check{Wanted: "a relative path within the volume", Problem: func(value string) error {
		switch {
		case strings.HasPrefix(value, "/"):
			return errors.New("it starts with a slash")
		case slices.Contains(strings.Split(value, "/"), ".."):
			return errors.New(`it leaves the volume with ".."`)
		}
		return nil
	}}
}

func jsonObjectValidator() validator.String {
	return framework.Check{Wanted: "the JSON of an object (use jsonencode)", Problem: func(value string) error {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(value), &object); err != nil {
			return fmt.Errorf("it is not: %w", err)
		}
		if object == nil {
			return errors.New("it is null")
		}
		return nil
	}}
}

// quantityForm is the syntax of Kubernetes quantities: a decimal number with a suffix or an exponent.
var quantityForm = regexp.MustCompile(`^([0-9]+\.?[0-9]*|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]{1,2})?$`)

var quantityUnits = map[string]string{
	"": "1", "n": "1e-9", "u": "1e-6", "m": "1e-3", "k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15", "E": "1e18",
	"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776", "Pi": "1125899906842624", "Ei": "1152921504606846976",
}

// parseQuantity returns the exact value of a Kubernetes quantity.
func parseQuantity(text string) (*big.Rat, error) {
	parts := quantityForm.FindStringSubmatch(text)
	if parts == nil {
		return nil, errors.New(`it is not a number with a unit such as "m", "Mi" or "Gi"`)
	}
	unit, known := quantityUnits[parts[2]]
	if !known {
		unit = "1" + strings.ToLower(parts[2])
	}
	amount, _ := new(big.Rat).SetString(parts[1])
	factor, _ := new(big.Rat).SetString(unit)
	return amount.Mul(amount, factor), nil
}
