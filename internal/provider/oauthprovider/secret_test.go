package oauthprovider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// TestSecretChanges goes through every way to have a secret, or none, and to have sent one.
func TestSecretChanges(t *testing.T) {
	t.Parallel()
	none := framework.Fingerprint{}
	sent := none.With(secretName, "old")
	stored := func(value string) model { return model{ClientSecret: types.StringValue(value)} }
	writeOnly := func(value string) model { return model{ClientSecretWO: types.StringValue(value)} }
	version := func(m model, version int64) model {
		m.ClientSecretWOVersion = types.Int64Value(version)
		return m
	}
	tests := map[string]struct {
		planned, state model
		prints         framework.Fingerprint
		want           bool
	}{
		"none":                               {model{}, model{}, none, false},
		"given up":                           {model{}, stored("old"), sent, false},
		"first":                              {stored("new"), model{}, none, true},
		"first, write-only":                  {writeOnly("new"), model{}, none, true},
		"imported":                           {stored("old"), stored("old"), none, true},
		"the same":                           {stored("old"), stored("old"), sent, false},
		"the same, write-only":               {writeOnly("old"), model{}, sent, false},
		"moved":                              {writeOnly("old"), stored("old"), sent, false},
		"another":                            {stored("new"), stored("old"), sent, true},
		"another, write-only":                {writeOnly("new"), model{}, sent, true},
		"unknown":                            {model{ClientSecret: types.StringUnknown()}, stored("old"), sent, true},
		"unknown, write-only":                {model{ClientSecretWO: types.StringUnknown()}, model{}, sent, true},
		"first version, the same":            {version(writeOnly("old"), 1), model{}, sent, false},
		"first version, another":             {version(writeOnly("new"), 1), model{}, sent, true},
		"same version, another":              {version(writeOnly("new"), 1), version(model{}, 1), sent, false},
		"same version, unknown":              {version(model{ClientSecretWO: types.StringUnknown()}, 1), version(model{}, 1), sent, false},
		"same version, never sent":           {version(writeOnly("new"), 1), version(model{}, 1), none, true},
		"another version, the same":          {version(writeOnly("old"), 2), version(model{}, 1), sent, true},
		"version dropped, another":           {writeOnly("new"), version(model{}, 1), sent, true},
		"version of a secret that is gone":   {version(model{}, 2), version(model{}, 1), sent, false},
		"another secret's name is no secret": {stored("old"), model{}, none.With("other", "old"), true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := secretChanges(test.planned, test.state, test.prints); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestWarnLeftBehind(t *testing.T) {
	t.Parallel()
	secret := types.StringValue("canary")
	tests := map[string]struct {
		planned, state model
		accepted       bool
		warns          bool
	}{
		"none":                {model{}, model{}, false, false},
		"kept":                {model{ClientSecret: secret}, model{ClientSecret: secret}, true, false},
		"to write-only":       {model{ClientSecretWO: secret}, model{ClientSecret: secret}, true, false},
		"given up":            {model{}, model{ClientSecret: secret}, true, true},
		"unknown for now":     {model{ClientSecret: types.StringUnknown()}, model{ClientSecret: secret}, true, false},
		"write-only kept":     {model{ClientSecretWO: secret}, model{}, true, false},
		"write-only given up": {model{}, model{}, true, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var prints framework.Fingerprint
			if test.accepted {
				prints = prints.With(secretName, "canary")
			}
			diags := test.planned.warnLeftBehind(test.state, prints)
			if (diags.WarningsCount() == 1) != test.warns || diags.HasError() {
				t.Errorf("warns: want %t, got %v", test.warns, diags)
			}
			for _, d := range diags {
				if strings.Contains(d.Detail(), "canary") {
					t.Errorf("the secret is told: %s", d.Detail())
				}
			}
		})
	}
}
