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
  description = "Where dev runs an image."
  type = object({
    compute_id = string
    namespace  = string
  })
  default = {
    compute_id = "dev-cluster"
    namespace  = "agents-staging"
  }
}

variable "secrets" {
  description = "Secret environment variables of the agent, such as the key of its model. Required: a default would remove them if they are forgotten."
  type        = map(string)
  sensitive   = true
  ephemeral   = true
}
