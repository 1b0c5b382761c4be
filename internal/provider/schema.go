package provider

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
				MarkdownDescription: "Control-plane dialect: `neutral` uses the names of the API's specification, " +
					"`langsmith` those of LangSmith Deployment, in the cloud or self-hosted. Names and values of this " +
					"provider's attributes are the same with both. Default: `neutral`. Environment variable: " +
					"`AGENTPLANE_DIALECT`.",
				Validators: []validator.String{stringvalidator.OneOf(framework.DialectNames()...)},
			},
			"base_url": text("URL of the control plane's API, including any path prefix: " +
				"`https://agents.example.com/api-host` for a self-hosted installation. Required, here or as " +
				"`AGENTPLANE_BASE_URL`, unless `region` is set. In the dialect `langsmith`, if neither is set, it is " +
				"derived from `LANGSMITH_ENDPOINT`, the URL of the product's main API. A plain `http://` URL of " +
				"another host causes a warning."),
			"region": text("Region of the cloud, instead of `base_url`: `us`, `eu`, `apac` or `aws-us`. It sets " +
				"the hosts of the control plane and of the tracing API. Only for the dialect `langsmith`. " +
				"Environment variable: `AGENTPLANE_REGION`."),
			"profile": text("Profile of LangSmith's own tools to use: credential, address and workspace come from it where neither an " +
				"argument nor an environment variable sets them. Profiles are in `~/.langsmith/config.json` or in the file that " +
				"`LANGSMITH_CONFIG_FILE` names. The provider only reads that file, doesn't refresh tokens, and doesn't fall back to the " +
				"current profile. Only for the dialect `langsmith`. Environment variable: `LANGSMITH_PROFILE`."),
			"tracing_url": text("URL of the tracing API, which uses the same credential. Default: the tracing host " +
				"of the control plane's region, or `base_url` without a trailing `/api-host`. Environment variable: " +
				"`AGENTPLANE_TRACING_URL`."),
			"api_key": secret("API key, sent as `X-Api-Key`. Required unless `bearer_token` is set or `base_url` " +
				"is a loopback URL. Environment variable: `AGENTPLANE_API_KEY`, then, in the dialect `langsmith`, " +
				"`LANGSMITH_API_KEY`."),
			"bearer_token": secret("Token sent as `Authorization: Bearer` instead of an API key. Conflicts with `api_key`. " +
				"Environment variable: `AGENTPLANE_BEARER_TOKEN`."),
			"workspace_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Workspace to work in, a UUID, sent as `X-Tenant-Id`. Not needed for a key that " +
					"belongs to one workspace. Environment variable: `AGENTPLANE_WORKSPACE_ID`, then, in the dialect " +
					"`langsmith`, `LANGSMITH_WORKSPACE_ID` and `LANGSMITH_TENANT_ID`.",
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
				MarkdownDescription: "Additional HTTP headers of every request, by name, for example the credentials of a gateway in " +
					"front of the service. They are sent to the host of `base_url` only: the tracing API gets them if it is on the " +
					"same host. Headers that have an argument of their own (`X-Api-Key`, `X-Tenant-Id`, `Authorization`, `Host`), and " +
					"those that the provider sets itself, such as `Content-Type`, are refused. Environment variable: " +
					"`AGENTPLANE_HEADERS`, a JSON object.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:   true,
				CustomType: timetypes.GoDurationType{},
				MarkdownDescription: "Timeout of each attempt of a request, a duration such as `30s` or `2m`. Default: " +
					"`60s`. Environment variable: `AGENTPLANE_REQUEST_TIMEOUT`.",
			},
			"max_retries": schema.NumberAttribute{
				Optional: true,
				MarkdownDescription: "Maximum number of retries of a request that is safe to repeat; `0` disables retries. " +
					"Default: `4`. Environment variable: `AGENTPLANE_MAX_RETRIES`.",
				Validators: []validator.Number{framework.WholeBetween(0, maxMaxRetries)},
			},
			"ca_certificate": text("Additional certificate authorities to trust, in PEM form. Conflicts with " +
				"`ca_certificate_file`. Environment variable: `AGENTPLANE_CA_CERTIFICATE`."),
			"ca_certificate_file": text("Path of a PEM file with additional certificate authorities to trust. Environment " +
				"variable: `AGENTPLANE_CA_CERTIFICATE_FILE`."),
			"client_certificate": text("Client certificate in PEM form for a service, or a proxy in front of it, that requires one " +
				"(mTLS), followed by intermediate certificates. Requires `client_key` or `client_key_file`, and conflicts with " +
				"`client_certificate_file`. Environment variable: `AGENTPLANE_CLIENT_CERTIFICATE`."),
			"client_certificate_file": text("Path of a PEM file with the client certificate, like `client_certificate`. Environment " +
				"variable: `AGENTPLANE_CLIENT_CERTIFICATE_FILE`."),
			"client_key": secret("Unencrypted private key of the client certificate in PEM form. Requires `client_certificate` or " +
				"`client_certificate_file`, and conflicts with `client_key_file`. Environment variable: `AGENTPLANE_CLIENT_KEY`."),
			"client_key_file": text("Path of a PEM file with the unencrypted private key of the client certificate. It can be the " +
				"file of the certificate. Environment variable: `AGENTPLANE_CLIENT_KEY_FILE`."),
		},
	}
}
