variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "integration_id" {}

variable "build_on_push" {
  type    = bool
  default = true
}

variable "repo_ref" {
  default = "main"
}

variable "on_failed_create" {
  default = null
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-fail-repo"
  source = "git_host"

  source_config = {
    integration_id = var.integration_id
    repo_url       = "https://git.example.com/example-org/chat"
    build_on_push  = var.build_on_push
  }

  source_revision_config = {
    repo_ref          = var.repo_ref
    graph_config_path = "graph.json"
  }

  on_failed_create = var.on_failed_create
}
