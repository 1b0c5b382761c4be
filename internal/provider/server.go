package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework"
	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider/lookup"
)

// NewServer returns a constructor of the server that speaks the plugin protocol for the provider.
func NewServer(version string, options ...Option) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return serve(newProvider(version, options)) }
}

// directVariable, if it is 0, leaves every answer to the plugin framework.
const directVariable = "AGENTPLANE_DIRECT"

func serve(p *agentplane) tfprotov6.ProviderServer {
	wrapped := protocol.Wrap(p)
	server := providerserver.NewProtocol6(wrapped)()
	complete, ok := server.(protocol.FrameworkServer)
	if !ok {
		return server
	}
	return protocol.NewServer(wrapped, complete, protocol.Options{
		Memo: func() *framework.Memo { return p.memo }, Keys: lookup.Keys, FrameworkOnly: p.getenv(directVariable) == "0", Compare: p.compare,
	})
}
