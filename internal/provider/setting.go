package provider

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

const (
	defaultMaxRetries = 4
	maxMaxRetries     = 20
)

// text is the configured value, else the variable's, else empty.
func (p *agentplane) text(configured types.String, variable string) string {
	return cmp.Or(configured.ValueString(), p.getenv(variable))
}

// productVariable is the value of a variable that the product's own tools read. Without a product there is none: its key
// must not go to another service.
func (p *agentplane) productVariable(cfg client.Config, name string) string {
	if cfg.Dialect.Product == nil {
		return ""
	}
	return p.getenv(cfg.Dialect.Product.VariablePrefix + name)
}

func (p *agentplane) requestTimeout(m model) (time.Duration, diag.Diagnostics) {
	if m.RequestTimeout.IsNull() && p.getenv("AGENTPLANE_REQUEST_TIMEOUT") == "" {
		return 0, nil // The client's default.
	}
	value := p.text(m.RequestTimeout.StringValue, "AGENTPLANE_REQUEST_TIMEOUT")
	timeout, err := time.ParseDuration(value)
	if err != nil || timeout <= 0 {
		return 0, invalid("request_timeout", value, "a positive duration such as 30s or 2m", "AGENTPLANE_REQUEST_TIMEOUT")
	}
	return timeout, nil
}

func (p *agentplane) maxRetries(m model) (int, diag.Diagnostics) {
	if !m.MaxRetries.IsNull() {
		n, _ := m.MaxRetries.ValueBigFloat().Int64() // The schema bounds it.
		return int(n), nil
	}
	value := p.getenv("AGENTPLANE_MAX_RETRIES")
	if value == "" {
		return defaultMaxRetries, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxMaxRetries {
		return 0, invalid("max_retries", value, fmt.Sprintf("a whole number from 0 to %d", maxMaxRetries),
			"AGENTPLANE_MAX_RETRIES")
	}
	return n, nil
}

// checkHeaders finds values that no header can carry: a key read from a file often ends in a line break. They stay out of
// the message.
func checkHeaders(cfg client.Config) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, setting := range []struct{ value, attribute, variable string }{
		{cfg.APIKey, "api_key", "AGENTPLANE_API_KEY"},
		{cfg.BearerToken, "bearer_token", "AGENTPLANE_BEARER_TOKEN"},
		{cfg.WorkspaceID, "workspace_id", "AGENTPLANE_WORKSPACE_ID"},
	} {
		if strings.ContainsFunc(setting.value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			diags.Append(attributeError(setting.attribute, fmt.Sprintf("%s (%s) contains a space, a line break or a control "+
				"character. Remove it, for example with trimspace(file(…)).", setting.attribute, setting.variable))...)
		}
	}
	return diags
}

func invalid(attribute, value, wanted, variable string) diag.Diagnostics {
	return attributeError(attribute, fmt.Sprintf("%s is %q, which is not %s. Correct it in the provider's configuration or "+
		"in the variable %s.", attribute, value, wanted, variable))
}

func attributeError(attribute, detail string) diag.Diagnostics {
	return addressError(attribute, "Invalid "+attribute, detail)
}

// ownHeaders are the headers that users can't set, with the argument to set instead, if there is one. The provider sends some of
// them, and the others belong to one connection, not to a request. Proxy-Authorization isn't one of them: gateways read it where
// Authorization is for the service behind them.
var ownHeaders = map[string]string{
	"X-Api-Key": "api_key", "Authorization": "bearer_token", "X-Tenant-Id": "workspace_id", "Host": "base_url",
	"User-Agent": "", "Accept": "", "Accept-Encoding": "", "Connection": "", "Proxy-Connection": "", "Keep-Alive": "",
	"Transfer-Encoding": "", "Te": "", "Trailer": "", "Upgrade": "", "Expect": "",
}

// headers returns the configured headers, else those of the variable.
func (p *agentplane) headers(m model) (map[string]string, diag.Diagnostics) {
	headers := map[string]string{}
	if !m.Headers.IsNull() {
		for name, element := range m.Headers.Elements() {
			if value, ok := element.(types.String); ok {
				headers[name] = value.ValueString()
			}
		}
	} else if encoded := p.getenv("AGENTPLANE_HEADERS"); encoded != "" {
		if json.Unmarshal([]byte(encoded), &headers) != nil || headers == nil {
			return nil, attributeError("headers", `The variable AGENTPLANE_HEADERS is not a JSON object of strings. Write it as `+
				`{"X-Gateway-Key": "…"}.`)
		}
	}
	var diags diag.Diagnostics
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		canonical := http.CanonicalHeaderKey(name)
		problem := headerProblem(name, headers[name])
		if twin, twice := seen[canonical]; twice && problem == "" {
			problem = fmt.Sprintf("is the same header as %q: names of headers differ in more than case. Remove one of them.", twin)
		}
		seen[canonical] = name
		if problem != "" {
			diags.Append(attributeError("headers", fmt.Sprintf("headers[%q] (AGENTPLANE_HEADERS) %s", publicName(name), problem))...)
		}
	}
	return headers, diags
}

// headerProblem describes why a header can't be sent, and the remedy, without its value. It is empty for a valid header.
func headerProblem(name, value string) string {
	canonical := http.CanonicalHeaderKey(name)
	argument, own := ownHeaders[canonical]
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return "is not the name of a header: use letters, digits and dashes only."
	case argument != "":
		return "can't be set here. Set " + argument + " instead."
	case own, strings.HasPrefix(canonical, "Content-"):
		return "can't be set: the provider, or HTTP itself, sets this header. Remove it."
	case value == "":
		return "has no value. Set one, or remove the header."
	case !httpguts.ValidHeaderFieldValue(value) || strings.TrimSpace(value) != value:
		return "contains a line break or a control character, or begins or ends with a space. Remove it, for example with " +
			"trimspace(file(…))."
	}
	return ""
}

// publicName is the part of a name that is valid: the rest may be the value, after a colon or an equals sign.
func publicName(name string) string {
	for i, r := range name {
		if !httpguts.IsTokenRune(r) {
			return name[:i] + "…"
		}
	}
	return name
}

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
