package api_test

import (
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

func TestProduct_RegionOf(t *testing.T) {
	t.Parallel()
	type region struct {
		prefix string
		cloud  bool
	}
	for host, want := range map[string]region{
		"api.host.langchain.com":         {"", true},
		"eu.api.host.langchain.com":      {"eu.", true},
		"API.Host.LangChain.com":         {"", true},
		"api.smith.langchain.com":        {"", true},
		"apac.api.smith.langchain.com":   {"apac.", true},
		"smith.langchain.com":            {"", true},
		"api.langchain.com":              {"", true},
		"XAPI.smith.langchain.com":       {"", true},
		"eu.api.langchain.com":           {},
		"aws.smith.langchain.com":        {"aws.", true},
		"mars.api.host.langchain.com":    {"mars.", true},
		"notapi.host.langchain.com":      {},
		"blacksmith.langchain.com":       {},
		"api.host.langchain.com.evil.io": {},
		"langchain.com":                  {},
		"agents.example.com":             {},
		"":                               {},
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			prefix, cloud := api.LangSmith.Product.RegionOf(host)
			if got := (region{prefix, cloud}); got != want {
				t.Errorf("RegionOf(%q) = %+v, want %+v", host, got, want)
			}
			if _, cloud := api.Neutral.Product.RegionOf(host); cloud {
				t.Error("the neutral dialect recognizes a cloud host, want none")
			}
		})
	}
}
