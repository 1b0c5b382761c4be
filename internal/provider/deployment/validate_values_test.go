package deployment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

func TestValidatorsOfValues(t *testing.T) {
	t.Parallel()
	const id = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
	digest := "sha256:" + strings.Repeat("0a", 32)
	for name, test := range map[string]struct {
		validator   validator.String
		good, wrong []string
	}{
		"name": {nameValidator(), []string{"a", "Chat-2", "a-"}, []string{"", "2chat", "-a", "a_b", "a b", "ä", "a\n"}},
		"DNS label": {
			dnsLabelValidator(), []string{"a", "0", "a-b", strings.Repeat("a", 63)},
			[]string{"", "A", "a_b", "-a", "a-", "a.b", strings.Repeat("a", 64), "a\n"},
		},
		"variable":                {environmentNameValidator(), []string{"A", "_a1", "lower", "A-B", "my.var", ".a"}, []string{"", "1A", "A=B", "Ä", "A B"}},
		"variable of a container": {identifierValidator(), []string{"A", "_a1"}, []string{"", "1A", "A-B", "A.B", "A=B"}},
		"name of an object":       {dnsSubdomainValidator(), []string{"a", "a.b-c"}, []string{"", "A", "-a", "a.", strings.Repeat("a", 254)}},
		"key of a secret":         {secretKeyValidator(), []string{"a", "TLS.crt", "-"}, []string{"", "a/b", "a b"}},
		"key of a label": {
			labelKeyValidator(), []string{"app", "app.kubernetes.io/name", "A_b-c.d"},
			[]string{"", "/a", "a/", "a/b/c", "-a", "a-", "A.example/b", strings.Repeat("a", 64)},
		},
		"value of a label": {labelValueValidator(), []string{"", "a", "A_b-c.d"}, []string{"-a", "a-", "a b", "a/b", strings.Repeat("a", 64)}},
		"quantity": {
			quantityValidator(), []string{"0", "1", "250m", "0.5", ".5", "1.", "512Mi", "1e3", "2E", "1E-2"},
			[]string{"", "m", "1 Gi", "-1", "512mb", "1KiB", "1e", "1e999", "one"},
		},
		"place of a mount":  {mountPathValidator(), []string{"/", "/data/x"}, []string{"", "data", "./data", "/a:b"}},
		"place in a volume": {subPathValidator(), []string{"", "a", "a/b..c"}, []string{"/a", "..", "a/../b"}},
		"repository": {
			repoURLValidator(),
			[]string{
				"https://git.example.com/a/b", "http://localhost:3000/a/b.git", "ssh://git@git.example.com/a/b.git", "ssh://git.example.com:22/a",
				"git@git.example.com:a/b.git", "git.example.com:a/b", "git@git.example.com:/srv/a.git",
			},
			[]string{
				"", "git.example.com/a/b", "https://", "https://git.example.com", "https://git.example.com/", "https:///a/b", "ftp://git.example.com/a",
				"https://user:secret@git.example.com/a", "https://token@git.example.com/a", "ssh://git:secret@git.example.com/a", "file:///a/b", "/a/b",
				"git@git.example.com", "git@git.example.com:", "https:/git.example.com/a", "a b:c",
			},
		},
		"ref": {
			repoRefValidator(),
			[]string{"main", "feature/x-1", "release-1.2", "refs/tags/v1.2.3", "refs/tags/a/b", "refs-old", "héad"},
			[]string{
				"", "refs/heads/main", "refs/pull/1/head", "refs/tags/", "refs/", "/main", "main/", "a b", "a..b", "a~1", "a^", "a:b",
				"a?", "a*", "a[", `a\b`, "refs/tags/a b", "refs/tags/v1..2", "refs/tags/v1/", "refs/tags//v1", "refs/heads/", "main\n",
			},
		},
		"image": {
			imageValidator(),
			[]string{
				"chat", "agents/chat", "registry.example.com/agents/chat:1.4.0", "localhost:5000/chat", "Registry.Example.com/chat:V_1-a.b",
				"chat@" + digest, "registry.example.com:443/a/b/c:1@" + digest, "a__b/c-d.e", "10.0.0.1:5000/x:latest", "[::1]:5000/a:1", "[2001:db8::1]/a",
			},
			[]string{
				"", "https://registry.example.com/chat", "agents/Chat", "chat:", "chat:.a", "chat:" + strings.Repeat("a", 129), "chat@sha256:abc",
				"chat:1:2", "/chat", "chat/", "a//b", "registry.example.com/", "a b", "chat@", "a___b/c", "chat\n", "[::1", "[]/a", "[::1]", "::1/a",
			},
		},
		"JSON object": {
			jsonObjectValidator(), []string{`{}`, ` {"a": [null]} `, "{\n}"},
			[]string{``, `null`, `[]`, `"a"`, `1`, `{`, `{"a":1}{}`, `{'a':1}`},
		},
		"UUID": {
			framework.UUID(), []string{id},
			[]string{"", "chat", strings.ToUpper(id), strings.ReplaceAll(id, "-", ""), "{" + id + "}", "urn:uuid:" + id, id + "0", " " + id},
		},
		"URL": {
			framework.URL(), []string{"https://git.example.com/a/b", "http://localhost:3000", "https://a"},
			[]string{"", "git.example.com/a", "git@git.example.com:a/b", "ssh://git.example.com/a", "https://", "https:///a", "ftp://a", ":", "https://a b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, value := range test.good {
				if diags := validated(t, test.validator, text(value)); len(diags) > 0 {
					t.Errorf("%q is refused: %v", value, diags)
				}
			}
			for _, value := range test.wrong {
				if diags := validated(t, test.validator, text(value)); len(diags) != 1 || !strings.HasPrefix(diags[0], "error at") {
					t.Errorf("%q: %v", value, diags)
				}
			}
			for _, open := range []types.String{types.StringNull(), types.StringUnknown()} {
				if diags := validated(t, test.validator, open); len(diags) > 0 {
					t.Errorf("%s is refused: %v", open, diags)
				}
			}
			if test.validator.Description(t.Context()) == "" || test.validator.MarkdownDescription(t.Context()) == "" {
				t.Error("it isn't described")
			}
		})
	}
}

func validated(t *testing.T, v validator.String, value types.String) []string {
	t.Helper()
	var resp validator.StringResponse
	v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("at"), ConfigValue: value}, &resp)
	return lines(resp.Diagnostics)
}

// TestValidatorsSayWhatToWrite: an error names the value, and the remedy where there is one.
func TestValidatorsSayWhatToWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		validator validator.String
		value     string
		want      []string
	}{
		"branch":         {repoRefValidator(), "refs/heads/main", []string{`"refs/heads/main" must be a bare branch name`, `without refs/heads/: "main"`}},
		"spelling of id": {framework.UUID(), "6BA7B810-9dad-41d1-80b4-00c04fd430c8", []string{`"6BA7B810-9dad-41d1-80b4-00c04fd430c8" must be a UUID`, `"6ba7b810-9dad-41d1-80b4-00c04fd430c8"`}},
		"URL":            {framework.URL(), "git.example.com/a", []string{`"git.example.com/a" must be an http(s) URL`, "https://"}},
		"null":           {jsonObjectValidator(), "null", []string{"jsonencode", "it is null"}},
		"image":          {imageValidator(), "https://r.example.com/a", []string{"there is no scheme", "lower case"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resp validator.StringResponse
			test.validator.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("at"), ConfigValue: text(test.value)}, &resp)
			if diff := cmp.Diff([]string{"error at: Invalid at"}, lines(resp.Diagnostics)); diff != "" {
				t.Fatal(diff)
			}
			wantText(t, resp.Diagnostics[0].Detail(), test.want...)
		})
	}
}
