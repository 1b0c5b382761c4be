package provider

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// profiles is a file of profiles in the published form.
var profiles = filepath.Join("testdata", "profiles.json")

// expiryClock shows the time at which the login of "expired" expires, a second before that of "login".
type expiryClock struct{}

func (expiryClock) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func (expiryClock) Sleep(context.Context, time.Duration) error { return nil }

const (
	devWorkspace   = "5d0c2f54-3a3e-4c62-8f53-1f1f7f5e0a01"
	euWorkspace    = "5d0c2f54-3a3e-4c62-8f53-1f1f7f5e0a02"
	loginWorkspace = "5d0c2f54-3a3e-4c62-8f53-1f1f7f5e0a03"
	otherWorkspace = "11111111-1111-4111-8111-111111111111"
)

// profileOf returns the settings that a profile is a part of, and the text of the diagnostics.
func profileOf(values map[string]string, env environment) (got [4]string, told string) {
	p := &agentplane{getenv: func(name string) string { return env[name] }, clock: expiryClock{}}
	cfg, diags := p.settings(block(values))
	var all strings.Builder
	for _, d := range append(diags, checkSettings(cfg)...) {
		fmt.Fprintf(&all, "%s %s: %s\n", d.Severity(), d.Summary(), d.Detail())
	}
	return [4]string{cfg.BaseURL, cfg.APIKey, cfg.BearerToken, cfg.WorkspaceID}, all.String()
}

// TestSettings_profile expects each setting from the block, else from the environment, else from the selected profile.
func TestSettings_profile(t *testing.T) {
	t.Parallel()
	dev, eu := [4]string{cloud, "dev-key", "", devWorkspace}, [4]string{euro, "eu-key", "", euWorkspace}
	tests := map[string]struct {
		block map[string]string
		env   environment
		want  [4]string // URL, key, token, workspace
	}{
		"argument":               {map[string]string{"profile": "dev"}, nil, dev},
		"variable":               {nil, environment{"LANGSMITH_PROFILE": "eu"}, eu},
		"argument over variable": {map[string]string{"profile": "eu"}, environment{"LANGSMITH_PROFILE": "dev"}, eu},
		"token over key":         {map[string]string{"profile": "login"}, nil, [4]string{own, "", "login-token", loginWorkspace}},
		"url of the block": {
			map[string]string{"profile": "dev", "base_url": own}, environment{"LANGSMITH_ENDPOINT": "https://x.example.com"}, [4]string{own, "dev-key", "", devWorkspace},
		},
		"region of the block": {map[string]string{"profile": "dev", "region": "eu"}, nil, [4]string{euro, "dev-key", "", devWorkspace}},
		"our url":             {nil, environment{"LANGSMITH_PROFILE": "dev", "AGENTPLANE_BASE_URL": own}, [4]string{own, "dev-key", "", devWorkspace}},
		"the product's url": {
			nil, environment{"LANGSMITH_PROFILE": "dev", "LANGSMITH_ENDPOINT": "https://agents.example.com/api"}, [4]string{own, "dev-key", "", devWorkspace},
		},
		"key of the block": {map[string]string{"profile": "login", "api_key": "key"}, nil, [4]string{own, "key", "", loginWorkspace}},
		"token of the block": {
			map[string]string{"profile": "dev", "bearer_token": "token"}, nil, [4]string{cloud, "", "token", devWorkspace},
		},
		"our key":           {nil, environment{"LANGSMITH_PROFILE": "login", "AGENTPLANE_API_KEY": "key"}, [4]string{own, "key", "", loginWorkspace}},
		"our token":         {nil, environment{"LANGSMITH_PROFILE": "dev", "AGENTPLANE_BEARER_TOKEN": "token"}, [4]string{cloud, "", "token", devWorkspace}},
		"the product's key": {nil, environment{"LANGSMITH_PROFILE": "login", "LANGSMITH_API_KEY": "key"}, [4]string{own, "key", "", loginWorkspace}},
		"a key, and an expired login": {
			map[string]string{"profile": "expired", "api_key": "key"}, nil, [4]string{own, "key", "", ""},
		},
		"workspace of the block": {
			map[string]string{"profile": "dev", "workspace_id": otherWorkspace}, nil, [4]string{cloud, "dev-key", "", otherWorkspace},
		},
		"our workspace":           {nil, environment{"LANGSMITH_PROFILE": "dev", "AGENTPLANE_WORKSPACE_ID": otherWorkspace}, [4]string{cloud, "dev-key", "", otherWorkspace}},
		"the product's workspace": {nil, environment{"LANGSMITH_PROFILE": "dev", "LANGSMITH_TENANT_ID": otherWorkspace}, [4]string{cloud, "dev-key", "", otherWorkspace}},
		"not selected":            {map[string]string{"region": "us", "api_key": "key"}, nil, [4]string{cloud, "key", "", ""}},
		"neutral": {
			map[string]string{"dialect": "neutral", "base_url": "http://localhost:8124"}, environment{"LANGSMITH_PROFILE": "dev"},
			[4]string{"http://localhost:8124", "", "", ""},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := environment{"AGENTPLANE_DIALECT": "langsmith", "LANGSMITH_CONFIG_FILE": profiles}
			maps.Copy(env, test.env)
			got, told := profileOf(test.block, env)
			if diff := cmp.Diff(test.want, got); diff != "" || told != "" {
				t.Errorf("settings (-want +got):\n%s%s", diff, told)
			}
		})
	}
}

// TestSettings_profileAtHome expects the file below the home directory to be read, and not to be changed.
func TestSettings_profileAtHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	before, err := os.ReadFile(profiles)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".langsmith", "config.json")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, before, 0o600); err != nil {
		t.Fatal(err)
	}
	got, told := profileOf(nil, environment{"AGENTPLANE_DIALECT": "langsmith", "LANGSMITH_PROFILE": "login"})
	if want := [4]string{own, "", "login-token", loginWorkspace}; got != want || told != "" {
		t.Errorf("settings = %q, %s; want %q", got, told, want)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file is now %s, %v", after, err)
	}
}

// TestSettings_profileRefused expects one error that says what is wrong, without anything secret from the file.
func TestSettings_profileRefused(t *testing.T) {
	t.Parallel()
	written := func(content string) string {
		file := filepath.Join(t.TempDir(), "config.json")
		if err := os.WriteFile(file, []byte(content), 0o400); err != nil {
			t.Fatal(err)
		}
		return file
	}
	tests := map[string]struct {
		profile, file string
		want          []string
	}{
		"unknown": {
			"prod", profiles, []string{"Invalid profile", profiles + ` has no profile "prod"`, "dev, elsewhere, eu, expired, login, nowhere", "LANGSMITH_PROFILE"},
		},
		"no file":        {"dev", "no-such-file.json", []string{`"dev" can't be read`, "no-such-file.json", "LANGSMITH_CONFIG_FILE"}},
		"a directory":    {"dev", "testdata", []string{`"dev" can't be read`, "testdata"}},
		"no JSON":        {"dev", written(`{"profiles": {"dev": {"api_key": "key-canary`), []string{"isn't a valid file of profiles"}},
		"another type":   {"dev", written(`{"profiles": {"dev": {"api_key": ["key-canary"]}}}`), []string{"isn't a valid file of profiles"}},
		"no profiles":    {"dev", written(`{}`), []string{`no profile "dev". Its profiles are: none.`}},
		"text as a path": {"dev", `{"profiles": {"dev": {"api_key": "key-canary"}}}`, []string{"LANGSMITH_CONFIG_FILE has the text of a file"}},
		"expired": {
			"expired", profiles, []string{"Invalid profile", `"expired" in ` + profiles, "expired at 2026-01-02T03:04:05Z", `Log in again with "langsmith auth login"`},
		},
		"no credential": {"bare", written(`{"profiles": {"bare": {"api_url": "https://h.example.com"}}}`), []string{"Missing api_key"}},
		"no URL":        {"bare", written(`{"profiles": {"bare": {"api_key": "key-canary"}}}`), []string{"Missing base_url"}},
		"URL":           {"elsewhere", profiles, []string{"Invalid base_url", `api_url of the profile "elsewhere" in ` + profiles + ` "agents.example.com"`}},
		"workspace":     {"nowhere", profiles, []string{"Invalid workspace_id", "LANGSMITH_TENANT_ID, or in the profile"}},
		"key": {
			"dev", written(`{"profiles": {"dev": {"api_url": "https://h.example.com", "api_key": "key-canary\n"}}}`), []string{"Invalid api_key", "line break"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, told := profileOf(map[string]string{"dialect": "langsmith", "profile": test.profile}, environment{"LANGSMITH_CONFIG_FILE": test.file})
			if strings.Count(told, "Error ") != 1 || strings.Contains(told, "canary") {
				t.Errorf("diagnostics = %q, want one error, without a secret", told)
			}
			for _, want := range test.want {
				if !strings.Contains(told, want) {
					t.Errorf("diagnostics = %q, want %q in them", told, want)
				}
			}
		})
	}
}
