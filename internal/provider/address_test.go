package provider

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// environment has the settings outside the configuration.
type environment map[string]string

// block returns a configuration with these values, and null for all others.
func block(values map[string]string) model {
	var m model
	for name, at := range map[string]*types.String{
		"dialect": &m.Dialect, "base_url": &m.BaseURL, "region": &m.Region, "profile": &m.Profile, "tracing_url": &m.TracingURL,
		"api_key": &m.APIKey, "bearer_token": &m.BearerToken, "workspace_id": &m.WorkspaceID,
	} {
		if value, set := values[name]; set {
			*at = types.StringValue(value)
		}
	}
	return m
}

// configured returns the client configuration for a provider block and an environment, with the diagnostics of all checks.
func configured(m model, env environment) (client.Config, diag.Diagnostics) {
	p := &agentplane{getenv: func(name string) string { return env[name] }}
	cfg, diags := p.settings(m)
	if !diags.HasError() {
		diags.Append(checkSettings(cfg)...)
	}
	return cfg, diags
}

const (
	cloud = "https://api.host.langchain.com"
	euro  = "https://eu.api.host.langchain.com"
	own   = "https://agents.example.com/api-host"
)

// TestSettings_address expects the address from the block, our variables or the product's, in this order.
func TestSettings_address(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		block map[string]string
		env   environment
		want  string
	}{
		"base_url":                    {map[string]string{"base_url": own}, nil, own},
		"region us":                   {map[string]string{"region": "us"}, nil, cloud},
		"region eu":                   {map[string]string{"region": "eu"}, nil, euro},
		"region apac":                 {map[string]string{"region": "apac"}, nil, "https://apac.api.host.langchain.com"},
		"region aws-us":               {map[string]string{"region": "aws-us"}, nil, "https://aws.api.host.langchain.com"},
		"AGENTPLANE_BASE_URL":         {nil, environment{"AGENTPLANE_BASE_URL": own}, own},
		"AGENTPLANE_REGION":           {nil, environment{"AGENTPLANE_REGION": "eu"}, euro},
		"base_url over the region":    {map[string]string{"base_url": own}, environment{"AGENTPLANE_REGION": "eu"}, own},
		"region over the address":     {map[string]string{"region": "eu"}, environment{"AGENTPLANE_BASE_URL": own}, euro},
		"endpoint of the cloud":       {nil, environment{"LANGSMITH_ENDPOINT": "https://eu.api.smith.langchain.com"}, euro},
		"endpoint of an installation": {nil, environment{"LANGSMITH_ENDPOINT": "https://agents.example.com/api/v1"}, own},
		"endpoint, shorter":           {nil, environment{"LANGSMITH_ENDPOINT": "https://agents.example.com/api"}, own},
		"region over the endpoint": {
			nil, environment{"AGENTPLANE_REGION": "us", "LANGSMITH_ENDPOINT": "https://agents.example.com/api"}, cloud,
		},
		"base_url over the endpoint": {
			map[string]string{"base_url": "https://other.example.com"}, environment{"LANGSMITH_ENDPOINT": "https://agents.example.com/api"},
			"https://other.example.com",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := environment{"AGENTPLANE_DIALECT": "langsmith", "AGENTPLANE_API_KEY": "key"}
			maps.Copy(env, test.env)
			cfg, diags := configured(block(test.block), env)
			if len(diags) > 0 || cfg.BaseURL != test.want {
				t.Errorf("base URL = %q, %v; want %q", cfg.BaseURL, diags, test.want)
			}
			if _, err := client.New(cfg); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSettings_product checks that the product's variables are used only in its dialect, and after ours.
func TestSettings_product(t *testing.T) {
	t.Parallel()
	product := environment{
		"LANGSMITH_API_KEY": "product-key", "LANGSMITH_WORKSPACE_ID": "11111111-1111-4111-8111-111111111111", "LANGSMITH_TENANT_ID": "33333333-3333-4333-8333-333333333333",
		"LANGSMITH_ENDPOINT": "https://agents.example.com/api/v1",
	}
	with := func(more environment, without ...string) environment {
		all := maps.Clone(product)
		maps.Copy(all, more)
		for _, name := range without {
			delete(all, name)
		}
		return all
	}
	type settings struct{ Dialect, BaseURL, Key, Token, Workspace string }
	tests := map[string]struct {
		block map[string]string
		env   environment
		want  settings
	}{
		"nothing of ours": {
			map[string]string{"dialect": "langsmith"}, with(nil),
			settings{"langsmith", own, "product-key", "", "11111111-1111-4111-8111-111111111111"},
		},
		"dialect by variable": {
			nil, with(environment{"AGENTPLANE_DIALECT": "langsmith"}),
			settings{"langsmith", own, "product-key", "", "11111111-1111-4111-8111-111111111111"},
		},
		"the older name of the workspace": {
			map[string]string{"dialect": "langsmith"}, with(nil, "LANGSMITH_WORKSPACE_ID"),
			settings{"langsmith", own, "product-key", "", "33333333-3333-4333-8333-333333333333"},
		},
		"our variables first": {
			map[string]string{"dialect": "langsmith"}, with(environment{
				"AGENTPLANE_BASE_URL": "https://a.example.com", "AGENTPLANE_API_KEY": "our-key", "AGENTPLANE_WORKSPACE_ID": "22222222-2222-4222-8222-222222222222",
			}),
			settings{"langsmith", "https://a.example.com", "our-key", "", "22222222-2222-4222-8222-222222222222"},
		},
		"the block first": {
			map[string]string{"dialect": "langsmith", "base_url": "https://b.example.com", "api_key": "block-key", "workspace_id": "44444444-4444-4444-8444-444444444444"},
			with(nil), settings{"langsmith", "https://b.example.com", "block-key", "", "44444444-4444-4444-8444-444444444444"},
		},
		"a token of the block": {
			map[string]string{"dialect": "langsmith", "bearer_token": "token"}, with(nil),
			settings{"langsmith", own, "", "token", "11111111-1111-4111-8111-111111111111"},
		},
		"our token": {
			map[string]string{"dialect": "langsmith"}, with(environment{"AGENTPLANE_BEARER_TOKEN": "token"}),
			settings{"langsmith", own, "", "token", "11111111-1111-4111-8111-111111111111"},
		},
		"the product's key at the host of the block": {
			map[string]string{"dialect": "langsmith", "base_url": "https://b.example.com"}, with(nil),
			settings{"langsmith", "https://b.example.com", "product-key", "", "11111111-1111-4111-8111-111111111111"},
		},
		"never in neutral": {
			map[string]string{"base_url": "http://localhost:8124"}, with(nil), settings{"neutral", "http://localhost:8124", "", "", ""},
		},
		"never in neutral, even by name": {
			map[string]string{"dialect": "neutral", "base_url": "http://localhost:8124"}, with(environment{"AGENTPLANE_DIALECT": "langsmith"}),
			settings{"neutral", "http://localhost:8124", "", "", ""},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, diags := configured(block(test.block), test.env)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			got := settings{cfg.Dialect.Name, cfg.BaseURL, cfg.APIKey, cfg.BearerToken, cfg.WorkspaceID}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSettings_productRefused expects errors to name the variables that would help: the product's only in its dialect.
func TestSettings_productRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		block   map[string]string
		env     environment
		summary string
		want    []string
		not     string
	}{
		"no address": {
			map[string]string{"dialect": "langsmith", "api_key": "key"}, nil, "Missing base_url",
			[]string{"AGENTPLANE_BASE_URL", "region or the variable AGENTPLANE_REGION"}, "",
		},
		"no address in neutral": {
			map[string]string{"api_key": "key"}, environment{"LANGSMITH_ENDPOINT": "https://agents.example.com/api"}, "Missing base_url",
			[]string{"AGENTPLANE_BASE_URL", `LANGSMITH_ENDPOINT is set, but it is used only with dialect = "langsmith"`}, "region",
		},
		"no address in neutral, with a key of the product": {
			nil, environment{"LANGSMITH_API_KEY": "product-key"}, "Missing base_url",
			[]string{`LANGSMITH_API_KEY is set, but it is used only with dialect = "langsmith"`}, "product-key",
		},
		"no key": {
			map[string]string{"dialect": "langsmith", "region": "eu"}, nil, "Missing api_key",
			[]string{"AGENTPLANE_API_KEY or LANGSMITH_API_KEY"}, "",
		},
		"no key in neutral": {
			map[string]string{"base_url": own}, environment{"LANGSMITH_API_KEY": "product-key"}, "Missing api_key",
			[]string{"AGENTPLANE_API_KEY"}, "LANGSMITH",
		},
		"key with a line break": {
			map[string]string{"dialect": "langsmith", "region": "eu"}, environment{"LANGSMITH_API_KEY": "product-key\n"},
			"Invalid api_key", []string{"line break"}, "product-key",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := configured(block(test.block), test.env)
			if len(diags) != 1 || diags[0].Summary() != test.summary {
				t.Fatalf("diagnostics = %v, want one error %q", diags, test.summary)
			}
			for _, want := range test.want {
				if !strings.Contains(diags[0].Detail(), want) {
					t.Errorf("detail = %q, want %q in it", diags[0].Detail(), want)
				}
			}
			if test.not != "" && strings.Contains(diags[0].Detail(), test.not) {
				t.Errorf("detail = %[2]q, want it without %[1]q", test.not, diags[0].Detail())
			}
		})
	}
}
