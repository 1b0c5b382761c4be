package api

import "strings"

// Product is what is known of the installations of a service, beyond its API.
type Product struct {
	// VariablePrefix begins the names of the environment variables that the product's own tools read.
	VariablePrefix string
	// ControlPlane, Tracing and UI are the hosts of its cloud; before each stands the prefix of a region.
	ControlPlane, Tracing, UI string
	// Regions are the prefixes by the names of the regions.
	Regions map[string]string
}

var langSmithProduct = &Product{
	VariablePrefix: "LANGSMITH_",
	ControlPlane:   "api.host.langchain.com",
	Tracing:        "api.smith.langchain.com",
	UI:             "smith.langchain.com",
	Regions:        map[string]string{"us": "", "eu": "eu.", "apac": "apac.", "aws-us": "aws."},
}

// RegionOf is the prefix of the region that a host of the cloud is in, which may be younger than Regions. False says that
// it is no host of the cloud.
func (p *Product) RegionOf(host string) (string, bool) {
	if p == nil {
		return "", false
	}
	for _, suffix := range []string{p.ControlPlane, p.Tracing, p.UI} { // Tracing ends like UI.
		prefix, found := strings.CutSuffix(strings.ToLower(host), suffix)
		if found && (prefix == "" || strings.HasSuffix(prefix, ".")) {
			return prefix, true
		}
	}
	return "", false
}
