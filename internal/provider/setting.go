package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

const (
	defaultRequestTimeout = 60 * time.Second
	defaultMaxRetries     = 4
	maxMaxRetries         = 20
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
		return defaultRequestTimeout, nil
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
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(attribute), "Invalid "+attribute, detail)}
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
