variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "integration_id" {}

variable "suffix" {
  default = ""
}

variable "name" {
  default = "tf-acc-repo"
}

variable "repo_url" {
  default = "https://git.example.com/example-org/chat"
}

variable "deployment_type" {
  default = null
}

variable "build_on_push" {
  type    = bool
  default = null
}

variable "install_command" {
  default = null
}

variable "build_command" {
  default = null
}

variable "repo_ref" {
  default = "main"
}

variable "graph_config_path" {
  default = "graph.json"
}

variable "environment" {
  type    = map(string)
  default = null
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "${var.name}${var.suffix}"
  source = "git_host"

  source_config = {
    integration_id  = var.integration_id
    repo_url        = var.repo_url
    deployment_type = var.deployment_type
    build_on_push   = var.build_on_push
    install_command = var.install_command
    build_command   = var.build_command
  }

  source_revision_config = {
    repo_ref          = var.repo_ref
    graph_config_path = var.graph_config_path
  }

  environment = var.environment
}
