variable "listener_id" {}
variable "k8s_namespace" {}
variable "base_url" {}
variable "api_key" {}
variable "workspace_id" {}

variable "generation" {
  default = 1
}

# Whatever is made first and only then knows its address, such as a cluster.
resource "terraform_data" "installation" {
  input = {
    base_url     = var.base_url
    api_key      = var.api_key
    workspace_id = var.workspace_id
    generation   = var.generation
  }
}

provider "agentplane" {
  base_url     = terraform_data.installation.output.base_url
  api_key      = terraform_data.installation.output.api_key
  workspace_id = terraform_data.installation.output.workspace_id
}

resource "agentplane_deployment" "test" {
  name   = "tf-acc-unknown"
  source = "external_container"

  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
  }
}
