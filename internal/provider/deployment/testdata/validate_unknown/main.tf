variable "delete_tracing_project" {
  type    = bool
  default = null
}

variable "listener_id" {}
variable "k8s_namespace" {}

resource "terraform_data" "upstream" {
  input = {
    volume = "scratch", limit = 4, minimum = 1, json = jsonencode({}), url = "https://chat.example.com", number = 2,
    image  = "registry.example.com/proxy:1", env = "MODE", volumes = [{ name = "late" }], ref = null
  }
}

locals {
  unknown = terraform_data.upstream.output
}

resource "agentplane_deployment" "test" {
  delete_tracing_project = var.delete_tracing_project

  name   = "tf-acc-validate"
  source = "external_container"

  source_config = {
    custom_url      = local.unknown.url
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }

    resource_spec = {
      min_scale     = local.unknown.minimum
      max_scale     = 2
      cpu           = 4
      cpu_limit     = local.unknown.limit
      volumes       = [{ name = local.unknown.volume, empty_dir_json = local.unknown.json }, { name = "data", empty_dir_json = jsonencode({}) }]
      volume_mounts = [{ name = "scratch", mount_path = "/scratch" }, { name = local.unknown.volume, mount_path = "/again" }]
      sidecars = [{
        name  = "proxy"
        image = local.unknown.image
        env   = [{ name = local.unknown.env, value = "a" }, { name = "OTHER", value = local.unknown.env }]
      }]
    }
  }

  source_revision_config = {
    image_uri = "registry.example.com/agents/chat:1.0.0"
    repo_ref  = local.unknown.ref
  }
}
