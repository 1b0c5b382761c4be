variable "dialect" {
  description = "Dialect of the control plane: neutral or langsmith."
  type        = string
  default     = "neutral"
}

variable "name" {
  description = "Name of the agent."
  type        = string
  default     = "chat"
}

variable "pull_request" {
  description = "Number of the pull request."
  type        = number
}

variable "image" {
  description = "Image that the pull request has built, by digest."
  type        = string
  default     = null

  validation {
    condition     = var.image == null || var.repository == null
    error_message = "Set either image or repository."
  }
}

variable "repository" {
  description = "Repository to build instead of an image."
  type = object({
    integration       = string
    url               = string
    graph_config_path = string
    deployment_type   = optional(string, "dev")
  })
  default = null
}

variable "ref" {
  description = "Branch of the pull request, for a repository."
  type        = string
  default     = null

  validation {
    condition     = var.ref == null || var.repository != null
    error_message = "ref is a branch of repository, which is not set."
  }

  validation {
    condition     = var.repository == null || var.ref != null
    error_message = "Set ref to the branch of the pull request."
  }
}

variable "cluster" {
  description = "Where a preview runs an image. Default: the namespace agents-staging of dev-cluster."
  type = object({
    compute_id = string
    namespace  = string
  })
  default = null

  validation {
    condition     = var.cluster == null || var.repository == null
    error_message = "cluster has no effect on a repository, which the service runs."
  }
}

variable "secrets" {
  description = "Secret environment variables of the agent, such as the key of its model."
  type        = map(string)
  default     = {}
  sensitive   = true
  ephemeral   = true
}
