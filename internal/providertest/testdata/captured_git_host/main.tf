terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

resource "agentplane_deployment" "it" {
  name   = "support-agent"
  source = "git_host"

  source_config = {
    integration_id  = "6a1f0c52-9d1b-4e53-8a62-0f1d2c3b4a59"
    repo_url        = "https://github.com/acme/support-agent"
    deployment_type = "prod"
    build_on_push   = true
  }

  source_revision_config = {
    repo_ref          = "main"
    graph_config_path = "langgraph.json"
  }
}
