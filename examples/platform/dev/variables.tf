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

variable "image" {
  description = "Image that the pipeline has built, by digest."
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

variable "cluster" {
  description = "Where dev runs an image. Default: the namespace agents-staging of dev-cluster."
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
  description = "Secret environment variables of the agent, such as the key of its model. Required: a default would remove them if they are forgotten."
  type        = map(string)
  sensitive   = true
  ephemeral   = true
}
