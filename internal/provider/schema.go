package provider

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// model is the provider's configuration.
type model struct {
	Dialect               types.String         `tfsdk:"dialect"`
	BaseURL               types.String         `tfsdk:"base_url"`
	Region                types.String         `tfsdk:"region"`
	Profile               types.String         `tfsdk:"profile"`
	TracingURL            types.String         `tfsdk:"tracing_url"`
	APIKey                types.String         `tfsdk:"api_key"`
	BearerToken           types.String         `tfsdk:"bearer_token"`
	WorkspaceID           types.String         `tfsdk:"workspace_id"`
	Headers               types.Map            `tfsdk:"headers"`
	RequestTimeout        timetypes.GoDuration `tfsdk:"request_timeout"`
	MaxRetries            types.Number         `tfsdk:"max_retries"`
	CACertificate         types.String         `tfsdk:"ca_certificate"`
	CACertificateFile     types.String         `tfsdk:"ca_certificate_file"`
	ClientCertificate     types.String         `tfsdk:"client_certificate"`
	ClientCertificateFile types.String         `tfsdk:"client_certificate_file"`
	ClientKey             types.String         `tfsdk:"client_key"`
	ClientKeyFile         types.String         `tfsdk:"client_key_file"`
}

func providerSchema() schema.Schema {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: description, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		}
	}
	secret := func(description string) schema.StringAttribute {
		hidden := text(description)
		hidden.Sensitive = true
		return hidden
	}
	return schema.Schema{
		MarkdownDescription: "Manages deployments of agent servers on a deployment control plane, and waits until they are " +
			"deployed.\n\nEvery argument can also be set by an environment variable; the argument takes precedence.",
		Attributes: map[string]schema.Attribute{
			"dialect": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Names on the wire: `neutral` for those of the API's specification, `langsmith` for " +
					"LangSmith Deployment. This provider's attributes are the same with both. Default: `neutral`. Environment variable: " +
					"`AGENTPLANE_DIALECT`.",
				Validators: []validator.String{stringvalidator.OneOf(api.DialectNames()...)},
			},
			"base_url": text("URL of the control plane's API, including any path prefix: `https://agents.example.com/api-host` " +
				"for a self-hosted installation. Required unless `region` is set. In the dialect `langsmith`, it can be derived " +
				"from `LANGSMITH_ENDPOINT`. A plain `http://` URL of another host causes a warning. Environment variable: " +
				"`AGENTPLANE_BASE_URL`."),
			"region": text("Region of the cloud, instead of `base_url` and `tracing_url`: `us`, `eu`, `apac` or `aws-us`. Only " +
				"for the dialect `langsmith`. Environment variable: `AGENTPLANE_REGION`."),
			"profile": text("[Profile of LangSmith's own tools](guides/langsmith.md#profiles) with credential, address and " +
				"workspace. Only for the dialect `langsmith`. Environment variable: `LANGSMITH_PROFILE`."),
			"tracing_url": text("URL of the tracing API. Default: that of the region, or `base_url` without a trailing " +
				"`/api-host`. Environment variable: `AGENTPLANE_TRACING_URL`."),
			"api_key": secret("API key, sent as `X-Api-Key`. Required unless `bearer_token` is set or `base_url` is a loopback " +
				"URL. Environment variable: `AGENTPLANE_API_KEY`, then, in the dialect `langsmith`, `LANGSMITH_API_KEY`."),
			"bearer_token": secret("Token sent as `Authorization: Bearer` instead of an API key. Conflicts with `api_key`. " +
				"Environment variable: `AGENTPLANE_BEARER_TOKEN`."),
			"workspace_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Workspace to work in, sent as `X-Tenant-Id`. Not needed for a key of one workspace. " +
					"Environment variable: `AGENTPLANE_WORKSPACE_ID`, then, in the dialect `langsmith`, `LANGSMITH_WORKSPACE_ID` and " +
					"`LANGSMITH_TENANT_ID`.",
				Validators: []validator.String{framework.Check{Wanted: "a UUID", Problem: func(value string) error {
					if err := uuid.Validate(value); err != nil {
						return fmt.Errorf("%w; correct it, or leave it to AGENTPLANE_WORKSPACE_ID", err)
					}
					return nil
				}}},
			},
			"headers": schema.MapAttribute{
				Optional:    true,
				Sensitive:   true,
				ElementType: types.StringType,
				MarkdownDescription: "HTTP headers for the host of `base_url`, for example the " +
					"[credentials of a gateway](guides/authentication.md#gateways). Environment variable: `AGENTPLANE_HEADERS`, a JSON " +
					"object.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:   true,
				CustomType: timetypes.GoDurationType{},
				MarkdownDescription: "Timeout of each attempt of a request, such as `30s` or `2m`. Default: `60s`. Environment variable: " +
					"`AGENTPLANE_REQUEST_TIMEOUT`.",
			},
			"max_retries": schema.NumberAttribute{
				Optional: true,
				MarkdownDescription: "Maximum number of retries; `0` disables them. Default: `4`. Environment variable: " +
					"`AGENTPLANE_MAX_RETRIES`.",
				Validators: []validator.Number{framework.WholeBetween(0, maxMaxRetries)},
			},
			"ca_certificate": text("Additional certificate authorities, in PEM form, instead of `ca_certificate_file`. Environment variable: " +
				"`AGENTPLANE_CA_CERTIFICATE`."),
			"ca_certificate_file": text("Path of a PEM file with additional certificate authorities. Environment variable: " +
				"`AGENTPLANE_CA_CERTIFICATE_FILE`."),
			"client_certificate": text("Client certificate (mTLS) in PEM form, followed by intermediate certificates, instead of " +
				"`client_certificate_file`. Requires `client_key` or `client_key_file`. Environment variable: " +
				"`AGENTPLANE_CLIENT_CERTIFICATE`."),
			"client_certificate_file": text("Path of a PEM file with the client certificate. Environment variable: " +
				"`AGENTPLANE_CLIENT_CERTIFICATE_FILE`."),
			"client_key": secret("Unencrypted private key of the client certificate in PEM form, instead of `client_key_file`. " +
				"Environment variable: `AGENTPLANE_CLIENT_KEY`."),
			"client_key_file": text("Path of a PEM file with the unencrypted private key; it can be that of the certificate. " +
				"Environment variable: `AGENTPLANE_CLIENT_KEY_FILE`."),
		},
	}
}
