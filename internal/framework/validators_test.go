package framework_test

import (
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestValidators(t *testing.T) {
	t.Parallel()
	const id = "4f1c2a9e-8d3b-4b6a-9c57-2e0f6d1a7b38"
	digest := "sha256:" + strings.Repeat("0a", 32)
	frameworktest.CheckStrings(t, frameworktest.StringCases{
		"Duration": {framework.Duration(), []string{"1s", "2h45m", "1.5s"}, []string{"", "10", "a day", "0s", "-1h"}},
		"Time": {
			framework.Time(),
			[]string{"2026-06-01T00:00:00Z", "2026-06-01T02:00:00.25+02:00", "1900-01-01T00:00:00Z", "2261-12-31T23:59:59Z"},
			[]string{
				"", "yesterday", "2026-06-01", "2026-06-01T00:00:00", "0000-01-01T00:00:00Z", "1899-12-31T23:59:59Z", "1900-01-01T00:00:00+01:00",
				"2262-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
			},
		},
		"DNS label": {
			framework.DNSLabel(), []string{"a", "0", "a-b", strings.Repeat("a", 63)},
			[]string{"", "A", "a_b", "-a", "a-", "a.b", strings.Repeat("a", 64), "a\n"},
		},
		"name of an object": {framework.DNSSubdomain(), []string{"a", "a.b-c"}, []string{"", "A", "-a", "a.", strings.Repeat("a", 254)}},
		"image": {
			framework.Image(),
			[]string{
				"chat", "agents/chat", "registry.example.com/agents/chat:1.4.0", "localhost:5000/chat", "Registry.Example.com/chat:V_1-a.b",
				"chat@" + digest, "registry.example.com:443/a/b/c:1@" + digest, "a__b/c-d.e", "10.0.0.1:5000/x:latest", "[::1]:5000/a:1", "[2001:db8::1]/a",
			},
			[]string{
				"", "https://registry.example.com/chat", "agents/Chat", "chat:", "chat:.a", "chat:" + strings.Repeat("a", 129), "chat@sha256:abc",
				"chat:1:2", "/chat", "chat/", "a//b", "registry.example.com/", "a b", "chat@", "a___b/c", "chat\n", "[::1", "[]/a", "[::1]", "::1/a",
			},
		},
		"UUID": {
			framework.UUID(), []string{id},
			[]string{"", "chat", strings.ToUpper(id), strings.ReplaceAll(id, "-", ""), "{" + id + "}", "urn:uuid:" + id, id + "0", " " + id},
		},
		"URL": {
			framework.URL(), []string{"https://git.example.com/a/b", "http://127.0.0.1:8080", "https://a"},
			[]string{"", "git.example.com/a", "git@git.example.com:a/b", "ssh://git.example.com/a", "https://", "https:///a", "ftp://a", ":", "https://a b", "https://%zz", "/authorize"},
		},
	})
}
