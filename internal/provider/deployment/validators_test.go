package deployment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/frameworktest"
)

func TestValidatorsOfValues(t *testing.T) {
	t.Parallel()
	frameworktest.CheckStrings(t, frameworktest.StringCases{
		"name":            {nameValidator(), []string{"a", "Chat-2", "a-"}, []string{"", "2chat", "-a", "a_b", "a b", "ä", "a\n"}},
		"variable":        {environmentNameValidator(), []string{"A", "_a1", "lower", "A-B", "my.var", ".a"}, []string{"", "1A", "A=B", "Ä", "A B"}},
		"key of a secret": {secretKeyValidator(), []string{"a", "TLS.crt", "-"}, []string{"", "a/b", "a b"}},
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
	})
}

// TestValidatorsSayWhatToWrite checks that errors contain the value, and the remedy if there is one.
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
		"image":          {framework.Image(), "https://r.example.com/a", []string{"omit the scheme", "lower case"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := frameworktest.Validate(t, test.validator, text(test.value))
			if diff := cmp.Diff([]string{"error at: Invalid at"}, frameworktest.Lines(diags)); diff != "" {
				t.Fatal(diff)
			}
			wantText(t, diags[0].Detail(), test.want...)
		})
	}
}
