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

data "agentplane_integration_repositories" "all" {
  integration_id = data.agentplane_integration.example_org.id
}

# Repositories by name. The URL is the repo_url of a deployment.
output "repo_urls" {
  value = { for repository in data.agentplane_integration_repositories.all.repositories : repository.name => repository.url }
}
