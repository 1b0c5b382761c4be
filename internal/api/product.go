package api

import (
	"slices"
	"strings"
)

// Product describes the installations of a service, in addition to its API.
type Product struct {
	// VariablePrefix is the prefix of the environment variables that the product's own tools read.
	VariablePrefix string
	// ControlPlane, Tracing and UI are the hosts of its cloud, without the prefix of a region.
	ControlPlane, Tracing, UI string
	// Regions are the prefixes by name of the region.
	Regions map[string]string
	// Aliases are further hosts of the tracing API, in the region without a prefix.
	Aliases []string
	// ProfileFile is the path below the home directory at which the product's own tools keep profiles, and Login the command of theirs
	// that logs in.
	ProfileFile, Login string
}

var langSmithProduct = &Product{
	VariablePrefix: "LANGSMITH_",
	ControlPlane:   "api.host.langchain.com",
	Tracing:        "api.smith.langchain.com",
	UI:             "smith.langchain.com",
	Regions:        map[string]string{"us": "", "eu": "eu.", "apac": "apac.", "aws-us": "aws."},
	Aliases:        []string{"api.langchain.com", "xapi.smith.langchain.com"},
	ProfileFile:    ".langsmith/config.json",
	Login:          "langsmith auth login",
}

// RegionOf returns the prefix of the region of a cloud host, which may be newer than Regions, or false if it isn't a host of the
// cloud.
func (p *Product) RegionOf(host string) (string, bool) {
	if p == nil {
		return "", false
	}
	host = strings.ToLower(host)
	if slices.Contains(p.Aliases, host) {
		return "", true
	}
	for _, suffix := range []string{p.ControlPlane, p.Tracing, p.UI} { // UI is a suffix of Tracing.
		prefix, found := strings.CutSuffix(host, suffix)
		if found && (prefix == "" || strings.HasSuffix(prefix, ".")) {
			return prefix, true
		}
	}
	return "", false
}
