# terraform query -generate-config-out=adopted.tf writes a resource and an import block for each.
list "agentplane_agent_connection" "assistant" {
  provider = agentplane
  config {
    agent_id = "assistant"
  }
}
