package deployment

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// scpForm is how git writes addresses for SSH: user@host:path.
var scpForm = regexp.MustCompile(`^([A-Za-z0-9._-]+@[A-Za-z0-9.-]+:|[A-Za-z0-9.-]+:[^/\s])[^\s]+$`)

// repoURLValidator accepts the network URLs that git can clone, as the service does. A password or a token would be shown
// in plans, and the integration provides access anyway.
func repoURLValidator() validator.String {
	return framework.Check{
		Wanted: "the URL of a repository, such as https://git.example.com/acme/agent or git@git.example.com:acme/agent.git",
		Secret: true,
		Problem: func(value string) error {
			if !strings.Contains(value, "://") {
				if !scpForm.MatchString(value) {
					return errors.New("it starts neither with https:// nor with a user and a host")
				}
				return nil
			}
			u, err := url.Parse(value)
			if err != nil {
				return errors.New("it can't be parsed")
			}
			_, password := u.User.Password()
			switch {
			case u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "ssh" || u.Host == "":
				return errors.New("it doesn't start with https:// or ssh:// and a host")
			case password, u.Scheme != "ssh" && u.User != nil:
				return errors.New("it contains credentials; remove them: the integration provides access")
			case strings.Trim(u.Path, "/") == "":
				return errors.New("it has no path, so it names no repository")
			}
			return nil
		},
	}
}

// sameRepository reports whether two URLs name the same repository, whatever the protocol, as git hosts see them: their names ignore case.
func sameRepository(a, b string) bool { return strings.EqualFold(repositoryName(a), repositoryName(b)) }

// repositoryName returns the host and the path of a repository's URL.
func repositoryName(address string) string {
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	} else {
		address = strings.Replace(address, ":", "/", 1) // user@host:path
	}
	host, path, _ := strings.Cut(address, "/")
	_, after, found := strings.Cut(host, "@")
	if found {
		host = after
	}
	return host + "/" + strings.TrimSuffix(strings.Trim(path, "/"), ".git")
}
