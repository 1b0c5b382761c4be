terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_agent_connections" "assistant" {
  agent_id = "assistant"
}

output "providers" {
  value = distinct(data.agentplane_agent_connections.assistant.connections[*].provider_id)
}
