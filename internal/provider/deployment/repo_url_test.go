package deployment

import "testing"

func TestSameRepository(t *testing.T) {
	t.Parallel()
	const listed = "https://git.example.com/acme/agent"
	for url, want := range map[string]bool{
		listed:                                       true,
		listed + "/":                                 true,
		listed + ".git":                              true,
		"http://GIT.example.com/Acme/Agent.git/":     true,
		"ssh://git@git.example.com/acme/agent":       true,
		"git@git.example.com:acme/agent.git":         true,
		"git.example.com:acme/agent":                 true,
		"https://git.example.com/acme/agents":        false,
		"https://git.example.com/acme":               false,
		"https://other.example.com/acme/agent":       false,
		"https://git.example.com/group/acme/agent":   false,
		"git@git.example.com:acme/agent.git/subpath": false,
	} {
		if got := sameRepository(listed, url); got != want {
			t.Errorf("sameRepository(%s) = %t, want %t", url, got, want)
		}
	}
}
