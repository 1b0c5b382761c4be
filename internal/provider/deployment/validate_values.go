package deployment

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
)

// Validators of single values. What the service is known to refuse is refused here, where the plan can name the
// attribute; what only an installation knows is left to it.

func nameValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`),
		"must begin with a letter and consist of letters, digits and dashes")
}

func secretKeyValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`),
		"must be a key of a Kubernetes secret: at most 253 letters, digits, dashes, dots and underscores")
}

// environmentNameValidator accepts what Kubernetes accepts in every version; the service takes anything.
func environmentNameValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[-._A-Za-z][-._A-Za-z0-9]*$`),
		"must be the name of an environment variable: letters, digits, underscores, dashes and dots, not beginning with a digit")
}

// repoRefValidator accepts bare branch names and full tag refs: the service takes every other refs/… for a branch of
// that name, which nobody means.
func repoRefValidator() validator.String {
	noName := regexp.MustCompile(`^(refs/|/)|[\s~^:?*\[\\]|\.\.|/$|^$`)
	return framework.Check{Wanted: "a bare branch name (main) or a full tag ref (refs/tags/v1.2.3)", Problem: func(value string) error {
		if branch, full := strings.CutPrefix(value, "refs/heads/"); full && branch != "" {
			return fmt.Errorf("a branch is given by its bare name, without refs/heads/: %q", branch)
		}
		if noName.MatchString(strings.TrimPrefix(value, "refs/tags/")) {
			return errors.New("it is not a valid name of a branch or tag")
		}
		return nil
	}}
}
