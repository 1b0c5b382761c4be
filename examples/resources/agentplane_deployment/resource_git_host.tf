terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

data "agentplane_integration" "example_org" {
  name = "example-org"
}

resource "agentplane_deployment" "notes" {
  name   = "notes"
  source = "git_host"

  source_config = {
    integration_id  = data.agentplane_integration.example_org.id
    repo_url        = "https://git.example.com/example-org/research-agent"
    deployment_type = "prod"
    build_on_push   = true # Every push to the branch makes a revision.
  }

  source_revision_config = {
    repo_ref          = "main"
    graph_config_path = "graph.json"
  }
}
