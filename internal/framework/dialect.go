package framework

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// DialectNames are the values of the provider's dialect; the first is the default.
func DialectNames() []string {
	names := make([]string, len(api.Dialects))
	for i, d := range api.Dialects {
		names[i] = d.Name
	}
	return names
}

// ParseDialect returns the dialect with that name, which may come from a variable that no schema has validated. Empty means the
// default.
func ParseDialect(name string) (*api.Dialect, diag.Diagnostics) {
	d, err := api.ParseDialect(name)
	if err != nil {
		return nil, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("dialect"), "Invalid dialect",
			Sentence(err.Error())+" Correct dialect in the provider's configuration or the variable AGENTPLANE_DIALECT.")}
	}
	return d, nil
}

// Unsupported returns the error for an attribute that d doesn't have. With a value, the attribute exists in d but that value
// doesn't.
func Unsupported(d *api.Dialect, at path.Path, value string) diag.Diagnostic {
	what := at.String()
	if value != "" {
		what = fmt.Sprintf("%s = %q", what, value)
	}
	var having []string
	for _, other := range api.Dialects {
		if other.LangSmithAPI {
			having = append(having, fmt.Sprintf("%q", other.Name))
		}
	}
	return diag.NewAttributeErrorDiagnostic(at, fmt.Sprintf("Not supported by dialect %q", d.Name),
		fmt.Sprintf("Control planes of the dialect %q don't support %s. Remove it. Or, if your control plane uses "+
			"another dialect, set dialect (AGENTPLANE_DIALECT) of the provider to %s.", d.Name, what, strings.Join(having, " or ")))
}
