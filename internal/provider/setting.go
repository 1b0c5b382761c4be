package provider

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
