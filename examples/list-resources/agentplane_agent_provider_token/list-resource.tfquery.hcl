# terraform query -generate-config-out=adopted.tf writes a resource and an import block for each. Add the tokens to the resources.
list "agentplane_agent_provider_token" "assistant" {
  provider = agentplane
  config {
    agent_id = "assistant"
  }
}
