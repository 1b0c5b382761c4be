variable "listener_version" {
  default = "1.0.0"
}

variable "namespace" {
  default = "agents"
}

resource "terraform_data" "compute_id" {
  input = "tf-acc-cluster"
}

resource "terraform_data" "later" {
  input = {
    version   = var.listener_version
    namespace = var.namespace
  }
}

resource "agentplane_listener" "test" {
  compute_id     = terraform_data.compute_id.output
  version        = terraform_data.later.output.version
  compute_config = { k8s_namespaces = [terraform_data.later.output.namespace] }
}

resource "agentplane_listener" "whole" {
  compute_id     = "tf-acc-whole"
  compute_config = terraform_data.later.output.namespace == "" ? null : { k8s_namespaces = [terraform_data.later.output.namespace] }
}
