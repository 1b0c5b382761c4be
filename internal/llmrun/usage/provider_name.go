package usage

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/texttable"
)

//go:embed providers.txt
var providersText string

// providerNames maps the names of providers that clients send to those that prices have.
var providerNames = func() map[string]string {
	names := map[string]string{}
	for words := range texttable.Rows(providersText) {
		for _, name := range words {
			names[name] = words[0]
		}
	}
	return names
}()

// apis are what the AI SDK and others append to the name of a provider.
var apis = texttable.Words(providersText, "$apis")

// ProviderName returns the name that clients of the tracing service use for a provider, so that prices for it match. An unknown name is
// returned as it is, and known is false.
func ProviderName(name string) (provider string, known bool) {
	for short := strings.ToLower(strings.TrimSpace(name)); ; {
		if provider, known = providerNames[short]; known {
			return provider, true
		}
		dot := strings.LastIndexByte(short, '.')
		if dot < 0 || !slices.Contains(apis, short[dot+1:]) {
			return name, false
		}
		short = short[:dot]
	}
}
