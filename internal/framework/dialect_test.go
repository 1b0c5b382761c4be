package framework_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

func TestParseDialect(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]*api.Dialect{"": api.Neutral, "neutral": api.Neutral, "langsmith": api.LangSmith} {
		if got, diags := framework.ParseDialect(name); got != want || diags.HasError() {
			t.Errorf("ParseDialect(%q) = %v, %v; want %v", name, got, diags, want)
		}
	}
	_, diags := framework.ParseDialect("LangSmith")
	want := []told{{
		"dialect", "Invalid dialect", `dialect "LangSmith" is unknown: use one of neutral, langsmith. Correct dialect in the ` +
			"provider's configuration or the variable AGENTPLANE_DIALECT.",
	}}
	if diff := cmp.Diff(want, read(diags)); diff != "" {
		t.Error(diff)
	}
}

func TestUnsupported(t *testing.T) {
	t.Parallel()
	const remedy = `. Remove it. Or, if your control plane uses another dialect, set dialect (AGENTPLANE_DIALECT) of the provider to "langsmith".`
	at := path.Root("source_config").AtName("deployment_type")
	for value, want := range map[string]string{
		"":         `Control planes of the dialect "neutral" don't support source_config.deployment_type` + remedy,
		"dev_zero": `Control planes of the dialect "neutral" don't support source_config.deployment_type = "dev_zero"` + remedy,
	} {
		got := read(diag.Diagnostics{framework.Unsupported(api.Neutral, at, value)})
		if diff := cmp.Diff([]told{{"source_config.deployment_type", `Not supported by dialect "neutral"`, want}}, got); diff != "" {
			t.Error(diff)
		}
	}
}
