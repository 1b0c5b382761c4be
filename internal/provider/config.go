package provider

import (
	"cmp"
	"context"
	"net/url"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Configure implements provider.Provider. While a value is unknown, which happens only in plans, it provides no client and
// reports nothing: everything is deferred if Terraform allows it, and otherwise resources are planned without contacting the service.
func (p *agentplane) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	p.memo = &framework.Memo{}
	data := &framework.ProviderData{Clock: p.clock, Memo: p.memo}
	resp.ResourceData, resp.DataSourceData, resp.ListResourceData, resp.ActionData, resp.EphemeralResourceData = data, data, data, data, data

	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !req.Config.Raw.IsFullyKnown() {
		if req.ClientCapabilities.DeferralAllowed {
			resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
		}
		return
	}
	settings, diags := p.settings(config)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(checkSettings(settings)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c, err := client.New(settings)
	if err != nil {
		resp.Diagnostics.Append(invalidAddress(err))
		return
	}
	data.Client = c
}

// settings reads each setting from the configuration, then from its variable, then, if the dialect is that of a product,
// from the variable of the product's own tools and from their profile, then from its default.
func (p *agentplane) settings(m model) (client.Config, diag.Diagnostics) {
	dialect, diags := framework.ParseDialect(p.text(m.Dialect, "AGENTPLANE_DIALECT"))
	if diags.HasError() {
		return client.Config{}, diags // The meaning of the others depends on it.
	}
	stored, d := p.profile(m, dialect)
	if d.HasError() {
		return client.Config{}, d
	}
	headers, d := p.headers(m)
	diags.Append(d...)
	requestTimeout, d := p.requestTimeout(m)
	diags.Append(d...)
	maxRetries, d := p.maxRetries(m)
	diags.Append(d...)
	rootCAs, d := p.rootCAs(m)
	diags.Append(d...)
	certificate, d := p.clientCertificate(m)
	diags.Append(d...)

	cfg := client.Config{
		Dialect:        dialect,
		TracingURL:     p.text(m.TracingURL, "AGENTPLANE_TRACING_URL"),
		APIKey:         m.APIKey.ValueString(),
		BearerToken:    m.BearerToken.ValueString(),
		WorkspaceID:    p.text(m.WorkspaceID, "AGENTPLANE_WORKSPACE_ID"),
		Headers:        headers,
		UserAgent:      "terraform-provider-agentplane/" + p.version,
		RequestTimeout: requestTimeout,
		MaxRetries:     maxRetries,
		RootCAs:        rootCAs,
		Certificate:    certificate,
		Log: func(ctx context.Context, message string, fields map[string]any) {
			tflog.Debug(ctx, message, fields)
		},
	}
	// A credential in the configuration takes precedence over both variables.
	if cfg.APIKey == "" && cfg.BearerToken == "" {
		cfg.APIKey = p.getenv("AGENTPLANE_API_KEY")
		cfg.BearerToken = p.getenv("AGENTPLANE_BEARER_TOKEN")
	}
	if cfg.APIKey == "" && cfg.BearerToken == "" {
		cfg.APIKey = p.productVariable(cfg, "API_KEY")
	}
	if cfg.APIKey == "" && cfg.BearerToken == "" {
		cfg.APIKey, cfg.BearerToken, d = p.storedCredential(stored, dialect)
		if d.HasError() {
			return client.Config{}, append(diags, d...) // Otherwise a credential would be missing, too.
		}
	}
	if cfg.WorkspaceID == "" {
		cfg.WorkspaceID = cmp.Or(p.productVariable(cfg, "WORKSPACE_ID"), p.productVariable(cfg, "TENANT_ID"), stored.WorkspaceID)
	}
	cfg.BaseURL, d = p.baseURL(m, cfg, stored)
	diags.Append(d...)
	if p.clock != nil {
		cfg.Sleep, cfg.Now = p.clock.Sleep, p.clock.Now
	}
	return cfg, diags
}

// checkSettings finds missing, contradictory or dangerous settings, however they were set.
func checkSettings(cfg client.Config) diag.Diagnostics {
	var diags diag.Diagnostics
	if cfg.BaseURL == "" {
		return diags // baseURL has reported why.
	}
	diags.Append(checkHeaders(cfg)...)
	if cfg.WorkspaceID != "" && uuid.Validate(cfg.WorkspaceID) != nil {
		variables := "AGENTPLANE_WORKSPACE_ID"
		if product := cfg.Dialect.Product; product != nil {
			variables += ", " + product.VariablePrefix + "WORKSPACE_ID or " + product.VariablePrefix + "TENANT_ID, or in the profile"
		}
		diags.Append(invalid("workspace_id", cfg.WorkspaceID, "a UUID", variables)...)
	}
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
		also := ""
		if cfg.Dialect.Product != nil {
			also = " or " + cfg.Dialect.Product.VariablePrefix + "API_KEY"
		}
		diags.AddAttributeError(path.Root("api_key"), "Missing api_key",
			"The control plane needs a credential. Set api_key or the variable AGENTPLANE_API_KEY"+also+", or bearer_token or "+
				"the variable AGENTPLANE_BEARER_TOKEN.")
	}
	diags.Append(checkPlainHTTP("base_url", cfg.BaseURL)...)
	diags.Append(checkPlainHTTP("tracing_url", cfg.TracingURL)...)
	return diags
}
