terraform {
  required_version = ">= 1.8" # For provider functions.

  required_providers {
    agentplane = {
      source = "agentplane/agentplane"
    }
  }
}

variable "release" {
  description = "Release to deploy, such as 1.4.0."
  type        = string
  default     = "1.4.0"
}

output "repo_ref" {
  value = provider::agentplane::tag_ref("v${var.release}") # refs/tags/v1.4.0
}
