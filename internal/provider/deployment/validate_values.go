package deployment

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
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

func dnsLabelValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`),
		"must be a DNS label: at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit")
}

func dnsSubdomainValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`),
		"must be the name of a Kubernetes object: at most 253 lower-case letters, digits, dashes and dots, beginning and ending with a "+
			"letter or digit")
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

// identifierValidator accepts names of variables of init containers and sidecars, which the service bounds more closely.
func identifierValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`),
		"must be the name of an environment variable: letters, digits and underscores, not beginning with a digit")
}

const labelName = `([A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)`

func labelKeyValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/)?`+labelName+`$`),
		"must be a Kubernetes key: at most 63 letters, digits, dashes, dots and underscores, beginning and ending with a letter or "+
			"digit, perhaps after a DNS name and a slash")
}

func labelValueValidator() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^`+labelName+`?$`),
		"must be the value of a Kubernetes label: empty, or at most 63 letters, digits, dashes, dots and underscores, beginning and "+
			"ending with a letter or digit")
}

func quantityValidator() validator.String {
	return framework.Check{Wanted: "a Kubernetes quantity, such as 250m or 512Mi", Problem: func(value string) error {
		_, err := parseQuantity(value)
		return err
	}}
}

func mountPathValidator() validator.String {
	return framework.Check{Wanted: "an absolute path, such as /data", Problem: func(value string) error {
		switch {
		case !strings.HasPrefix(value, "/"):
			return errors.New("it doesn't begin with a slash")
		case strings.Contains(value, ":"):
			return errors.New("it contains a colon")
		}
		return nil
	}}
}

func subPathValidator() validator.String {
	return framework.Check{Wanted: "a relative path within the volume", Problem: func(value string) error {
		switch {
		case strings.HasPrefix(value, "/"):
			return errors.New("it begins with a slash")
		case slices.Contains(strings.Split(value, "/"), ".."):
			return errors.New(`it leaves the volume by ".."`)
		}
		return nil
	}}
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

// imageValidator accepts [host[:port]/]path[:tag][@digest].
func imageValidator() validator.String {
	pattern := regexp.MustCompile(`^(([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?/)?[a-z0-9]+((\.|_{1,2}|-+|/)[a-z0-9]+)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[a-z0-9]+:[a-f0-9]{32,})?$`)
	const wanted = "the reference of a container image, such as registry.example.com/agents/chat:1.4.0"
	return framework.Check{Wanted: wanted, Problem: func(value string) error {
		if !pattern.MatchString(value) {
			return errors.New("it has no such form; there is no scheme, and names are in lower case")
		}
		return nil
	}}
}

func jsonObjectValidator() validator.String {
	return framework.Check{Wanted: "the JSON of an object (use jsonencode)", Problem: func(value string) error {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(value), &object); err != nil {
			return fmt.Errorf("it is not: %w", err)
		}
		if object == nil {
			return errors.New("it is null")
		}
		return nil
	}}
}
