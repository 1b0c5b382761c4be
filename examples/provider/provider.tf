terraform {
  required_providers {
    agentplane = {
      source  = "agentplane/agentplane"
      version = "~> 0.1"
    }
  }
}

# The API key comes from the variable AGENTPLANE_API_KEY, which keeps it out of files.
provider "agentplane" {
  base_url     = "https://agents.example.com/api-host"
  workspace_id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
}
