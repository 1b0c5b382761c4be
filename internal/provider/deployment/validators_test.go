package deployment

import (
	"testing"

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
