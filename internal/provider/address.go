package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// baseURL returns the URL of the control plane, and problems with the settings. The configuration takes precedence over
// our variables, these over the product's own, and these over the profile.
func (p *agentplane) baseURL(m model, cfg client.Config, stored profile) (string, diag.Diagnostics) {
	base, region := m.BaseURL.ValueString(), m.Region.ValueString()
	if base == "" && region == "" || cfg.Dialect.Product == nil {
		base = cmp.Or(base, p.getenv("AGENTPLANE_BASE_URL"))
		region = cmp.Or(region, p.getenv("AGENTPLANE_REGION"))
	}
	switch {
	case region != "" && cfg.Dialect.Product == nil:
		return base, addressError("region", "Region without hosts", fmt.Sprintf("region (AGENTPLANE_REGION) is %q, but "+
			"the dialect %q has no regions. Remove it and set base_url (AGENTPLANE_BASE_URL), or set dialect "+
			"(AGENTPLANE_DIALECT) if the control plane uses another one.", region, cfg.Dialect.Name))
	case region != "" && base != "":
		return base, addressError("region", "Two addresses", fmt.Sprintf("Both region (AGENTPLANE_REGION), %q, and base_url "+
			"(AGENTPLANE_BASE_URL) are set. Keep region for the cloud, or base_url for a self-hosted installation.", region))
	case region != "":
		base, err := client.RegionURL(cfg.Dialect, region)
		if err != nil {
			return "", addressError("region", "Invalid region", fmt.Sprintf("%s. Correct region in the provider's configuration "+
				"or the variable AGENTPLANE_REGION.", err))
		}
		return base, nil
	case base != "":
		return base, nil
	}
	endpoint := cmp.Or(p.productVariable(cfg, "ENDPOINT"), stored.APIURL)
	if endpoint == "" {
		return "", diag.Diagnostics{p.missingAddress(cfg)}
	}
	setting := cfg.Dialect.Product.VariablePrefix + "ENDPOINT"
	if p.getenv(setting) == "" {
		setting = "api_url of " + stored.source
	}
	base, err := client.EndpointURL(cfg.Dialect, setting, endpoint)
	if err != nil {
		return "", addressError("base_url", "Invalid base_url", fmt.Sprintf("%s. Correct it, or set base_url "+
			"(AGENTPLANE_BASE_URL) or region (AGENTPLANE_REGION) instead.", err))
	}
	return base, nil
}

// missingAddress is the error for a missing URL. It names variables that are set but used only in another dialect.
func (p *agentplane) missingAddress(cfg client.Config) diag.Diagnostic {
	detail := "The provider needs the URL of the control plane. Set base_url or the variable AGENTPLANE_BASE_URL to the " +
		"URL of its API, for example https://agents.example.com/api-host."
	if cfg.Dialect.Product != nil {
		detail += " For the cloud, set region or the variable AGENTPLANE_REGION instead, for example to us."
	}
	if name, dialect := p.unreadVariable(cfg.Dialect); name != "" {
		detail += fmt.Sprintf(" The variable %s is set, but it is used only with dialect = %q in the provider block "+
			"(AGENTPLANE_DIALECT): add that to use it.", name, dialect)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("base_url"), "Missing base_url", detail)
}

// unreadVariable finds a variable of a product that is used only in another dialect than d.
func (p *agentplane) unreadVariable(d *api.Dialect) (name, dialect string) {
	for _, other := range api.Dialects {
		if other == d || other.Product == nil {
			continue
		}
		for _, setting := range []string{"ENDPOINT", "API_KEY", "PROFILE"} {
			if name := other.Product.VariablePrefix + setting; p.getenv(name) != "" {
				return name, other.Name
			}
		}
	}
	return "", ""
}

// invalidAddress describes why the client refuses a URL.
func invalidAddress(err error) diag.Diagnostic {
	wanted := map[string]string{
		"base_url": "the control plane's API, for example https://agents.example.com/api-host",
		"tracing_url": "the tracing API, for example https://agents.example.com, or remove it if that is served next to " +
			"the control plane",
	}
	setting := "base_url"
	if refused, ok := errors.AsType[*client.SettingError](err); ok {
		setting = refused.Setting
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(setting), "Invalid "+setting,
		fmt.Sprintf("%s\n\nSet %s (AGENTPLANE_%s) to the address of %s.", framework.Sentence(err.Error()), setting,
			strings.ToUpper(setting), wanted[setting]))
}

// checkPlainHTTP warns about a credential that is sent in clear text.
func checkPlainHTTP(setting, address string) diag.Diagnostics {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || isLoopback(u.Hostname()) {
		return nil // The client says what is wrong with it.
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root(setting), "Credential sent in clear text",
		fmt.Sprintf("%s is %q: over plain http, the credential and all secrets can be intercepted. Use https.", setting,
			u.Redacted()))}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func addressError(setting, summary, detail string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(setting), summary, detail)}
}
