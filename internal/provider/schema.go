package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// model is the provider's configuration.
type model struct {
	BaseURL           types.String         `tfsdk:"base_url"`
	Region            types.String         `tfsdk:"region"`
	APIKey            types.String         `tfsdk:"api_key"`
	BearerToken       types.String         `tfsdk:"bearer_token"`
	WorkspaceID       types.String         `tfsdk:"workspace_id"`
	RequestTimeout    timetypes.GoDuration `tfsdk:"request_timeout"`
	MaxRetries        types.Int64          `tfsdk:"max_retries"`
	CACertificateFile types.String         `tfsdk:"ca_certificate_file"`
}

func providerSchema() schema.Schema {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	return schema.Schema{
		MarkdownDescription: "Manages deployments of agent servers on a deployment control plane, and waits until they " +
			"are really deployed.\n\nEvery argument can also be set by an environment variable; the argument wins.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the control plane's API, with any path prefix: " +
					"`https://agents.example.com/api-host` for a self-hosted installation. Required, here or as " +
					"`AGENTPLANE_BASE_URL`. Plain `http://` to another host than this one draws a warning.",
				Validators: notEmpty,
			},
			"region": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Reserved for installations whose hosts are known by region. Not supported yet: set " +
					"`base_url` instead. Environment variable: `AGENTPLANE_REGION`.",
				Validators: notEmpty,
			},
			"api_key": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "API key, sent as `X-Api-Key`. Required unless `bearer_token` is set or `base_url` is a " +
					"loopback address. Environment variable: `AGENTPLANE_API_KEY`.",
				Validators: notEmpty,
			},
			"bearer_token": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Token sent as `Authorization: Bearer` instead of an API key. Conflicts with `api_key`. " +
					"Environment variable: `AGENTPLANE_BEARER_TOKEN`.",
				Validators: notEmpty,
			},
			"workspace_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Workspace to work in, a UUID, sent as `X-Tenant-Id`. A key that belongs to one workspace " +
					"works without. Environment variable: `AGENTPLANE_WORKSPACE_ID`.",
				Validators: notEmpty,
			},
			"request_timeout": schema.StringAttribute{
				Optional:   true,
				CustomType: timetypes.GoDurationType{},
				MarkdownDescription: "How long one attempt of one request may take, as a duration such as `30s` or `2m`. " +
					"Default: `60s`. Environment variable: `AGENTPLANE_REQUEST_TIMEOUT`.",
			},
			"max_retries": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "How many times a request is tried again after a failure that is safe to repeat; `0` " +
					"turns it off. Default: `4`. Environment variable: `AGENTPLANE_MAX_RETRIES`.",
				Validators: []validator.Int64{int64validator.Between(0, maxMaxRetries)},
			},
			"ca_certificate_file": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Path of a PEM file with certificate authorities to trust beside the system's, for " +
					"installations with a private one. Environment variable: `AGENTPLANE_CA_CERTIFICATE_FILE`.",
				Validators: notEmpty,
			},
		},
	}
}
