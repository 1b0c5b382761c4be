package provider

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Configure implements provider.Provider. While a value is unknown, which only plans see, it hands on no client and says
// nothing: resources then plan without asking the service.
func (p *agentplane) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	data := &framework.ProviderData{Clock: p.clock, Memo: &framework.Memo{}}
	resp.ResourceData, resp.DataSourceData, resp.ListResourceData, resp.ActionData = data, data, data, data

	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.unknown() {
		return
	}
	settings, diags := p.settings(config)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(checkSettings(settings)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c, err := client.New(settings)
	if err != nil { // Of what it checks, only base_url has not been checked yet.
		resp.Diagnostics.AddAttributeError(path.Root("base_url"), "Invalid base_url",
			fmt.Sprintf("%s.\n\nSet base_url (AGENTPLANE_BASE_URL) to the address of the control plane's API, for example "+
				"https://agents.example.com/api-host.", strings.TrimSuffix(err.Error(), ".")))
		return
	}
	data.Client = c
}

func (m model) unknown() bool {
	for _, value := range []attr.Value{
		m.BaseURL, m.Region, m.APIKey, m.BearerToken, m.WorkspaceID, m.RequestTimeout, m.MaxRetries, m.CACertificateFile,
	} {
		if value.IsUnknown() {
			return true
		}
	}
	return false
}

// settings takes each setting from the configuration, else from its variable, else from its default.
func (p *agentplane) settings(m model) (client.Config, diag.Diagnostics) {
	var diags diag.Diagnostics
	if region := p.text(m.Region, "AGENTPLANE_REGION"); region != "" {
		diags.AddAttributeError(path.Root("region"), "Region without hosts",
			fmt.Sprintf("region (AGENTPLANE_REGION) is %q, but no hosts are known for any region. Remove it and set "+
				"base_url (AGENTPLANE_BASE_URL).", region))
	}
	requestTimeout, d := p.requestTimeout(m)
	diags.Append(d...)
	maxRetries, d := p.maxRetries(m)
	diags.Append(d...)
	rootCAs, d := p.rootCAs(m)
	diags.Append(d...)

	cfg := client.Config{
		BaseURL:        p.text(m.BaseURL, "AGENTPLANE_BASE_URL"),
		APIKey:         m.APIKey.ValueString(),
		BearerToken:    m.BearerToken.ValueString(),
		WorkspaceID:    p.text(m.WorkspaceID, "AGENTPLANE_WORKSPACE_ID"),
		UserAgent:      "terraform-provider-agentplane/" + p.version,
		RequestTimeout: requestTimeout,
		MaxRetries:     maxRetries,
		RootCAs:        rootCAs,
		Log: func(ctx context.Context, message string, fields map[string]any) {
			tflog.Debug(ctx, message, fields)
		},
	}
	// A credential in the configuration wins over both variables, whichever it is.
	if cfg.APIKey == "" && cfg.BearerToken == "" {
		cfg.APIKey = p.getenv("AGENTPLANE_API_KEY")
		cfg.BearerToken = p.getenv("AGENTPLANE_BEARER_TOKEN")
	}
	if p.clock != nil {
		cfg.Sleep, cfg.Now = p.clock.Sleep, p.clock.Now
	}
	return cfg, diags
}

// checkSettings finds what is missing, contradictory or dangerous, whichever way it was set.
func checkSettings(cfg client.Config) diag.Diagnostics {
	var diags diag.Diagnostics
	if cfg.BaseURL == "" {
		diags.AddAttributeError(path.Root("base_url"), "Missing base_url",
			"The provider doesn't know which control plane to talk to. Set base_url or the variable AGENTPLANE_BASE_URL to "+
				"the address of its API, for example https://agents.example.com/api-host.")
		return diags
	}
	diags.Append(checkHeaders(cfg)...)
	base, err := url.Parse(cfg.BaseURL)
	if err != nil {
		return diags // The client says what is wrong with it.
	}
	loopback := isLoopback(base.Hostname())
	switch {
	case cfg.APIKey != "" && cfg.BearerToken != "":
		diags.AddAttributeError(path.Root("bearer_token"), "Two credentials",
			"Both api_key (AGENTPLANE_API_KEY) and bearer_token (AGENTPLANE_BEARER_TOKEN) are set. Remove one of them.")
	case cfg.APIKey == "" && cfg.BearerToken == "" && !loopback:
		diags.AddAttributeError(path.Root("api_key"), "Missing api_key",
			"The control plane needs a credential. Set api_key or the variable AGENTPLANE_API_KEY, or bearer_token or the "+
				"variable AGENTPLANE_BEARER_TOKEN.")
	}
	if base.Scheme == "http" && !loopback {
		diags.AddAttributeWarning(path.Root("base_url"), "Credential sent in clear",
			fmt.Sprintf("base_url is %q: over plain http, the credential and all secrets can be read on the way. Use https.",
				base.Redacted()))
	}
	return diags
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
