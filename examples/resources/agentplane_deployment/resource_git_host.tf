terraform {
  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

data "agentplane_integration" "example_org" {
  name = "example-org"
}

# A repository, built by the cloud service after every push to the branch.
resource "agentplane_deployment" "notes" {
  name   = "notes"
  source = "git_host"

  source_config = {
    integration_id  = data.agentplane_integration.example_org.id
    repo_url        = "https://git.example.com/example-org/research-agent"
    deployment_type = "prod"
    build_on_push   = true
  }

  source_revision_config = {
    repo_ref          = "main"
    graph_config_path = "graph.json"
  }
}
