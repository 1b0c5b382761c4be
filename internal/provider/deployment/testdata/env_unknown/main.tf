variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

variable "tag" {
  default = "1.0.0"
}

variable "clash" {
  type    = map(string)
  default = {}
}

# Whole maps and single values that are known only after this has been applied.
resource "terraform_data" "upstream" {
  input = {
    environment = merge({ TAG = var.tag }, var.clash)
    token       = "token-${var.tag}"
  }
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-env-unknown"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }

  environment = terraform_data.upstream.output.environment
  secrets     = { STATIC = "fixed-value" }
  secrets_wo  = { TOKEN = terraform_data.upstream.output.token }
}
