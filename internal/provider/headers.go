package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"
)

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
