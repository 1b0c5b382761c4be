package framework

import (
	"errors"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// DNSLabel accepts the names of volumes, containers and namespaces.
func DNSLabel() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`),
		"must be a DNS label: at most 63 lower-case letters, digits and dashes, beginning and ending with a letter or digit")
}

// DNSSubdomain accepts the names of most other Kubernetes objects.
func DNSSubdomain() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`),
		"must be the name of a Kubernetes object: at most 253 lower-case letters, digits, dashes and dots, beginning and ending with a "+
			"letter or digit")
}

// Image accepts references to container images: [host[:port]/]path[:tag][@digest].
func Image() validator.String {
	pattern := regexp.MustCompile(`^(([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?/)?[a-z0-9]+((\.|_{1,2}|-+|/)[a-z0-9]+)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[a-z0-9]+:[a-f0-9]{32,})?$`)
	const wanted = "the reference of a container image, such as registry.example.com/agents/chat:1.4.0"
	return Check{Wanted: wanted, Problem: func(value string) error {
		if !pattern.MatchString(value) {
			return errors.New("it has no such form; there is no scheme, and names are in lower case")
		}
		return nil
	}}
}
