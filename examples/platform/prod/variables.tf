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
  description = "Image of prod, by digest. Default: what dev serves, so that an apply promotes it."
  type        = string
  default     = null
}

variable "repository" {
  description = "Repository to build instead of an image."
  type = object({
    integration       = string
    url               = string
    graph_config_path = string
  })
  default = null
}

variable "release" {
  description = "Git tag of the repository that prod runs, such as v1.2.3."
  type        = string
  default     = null
}

variable "candidate" {
  description = "Second deployment beside prod, with another image or release, and its percentage of the traffic: a few for a canary, 100 to switch to it."
  type = object({
    image   = optional(string)
    release = optional(string)
    percent = number
  })
  default = null

  validation {
    condition     = var.candidate == null || try(var.candidate.percent >= 0 && var.candidate.percent <= 100, false)
    error_message = "percent is from 0 to 100."
  }
}

variable "evaluation" {
  description = "Dataset on which the agent must have been evaluated before a promotion, and the least average score by feedback key."
  type = object({
    dataset = string
    scores  = optional(map(number), {})
  })
  default = null
}

variable "dev_workspace_id" {
  description = "Workspace of the control plane that dev is in. Default: the provider's."
  type        = string
  default     = null
}

variable "cluster" {
  description = "Where prod runs an image."
  type = object({
    compute_id = string
    namespace  = string
  })
  default = {
    compute_id = "dev-cluster"
    namespace  = "agents"
  }
}

variable "resources" {
  description = "Compute of prod, if it runs an image."
  type = object({
    min_scale = optional(number, 2)
    max_scale = optional(number, 4)
    cpu       = optional(number, 1)
    memory_mb = optional(number, 2048)
  })
  default = {}
}

variable "secrets" {
  description = "Secret environment variables of the agent, such as the key of its model. Required: a default would remove them if they are forgotten."
  type        = map(string)
  sensitive   = true
  ephemeral   = true
}

variable "limits" {
  description = "Limits for the traces of prod, which warn, and for those of a candidate, which decide whether it may get all traffic."
  type = object({
    window          = optional(string)
    min_traces      = optional(number)
    max_error_rate  = optional(number)
    max_latency_p99 = optional(number)
    max_cost        = optional(number)
    max_unpriced    = optional(number)
  })
  default = {}
}

variable "deletion_protection" {
  description = "Whether to refuse plans that destroy or replace prod. To destroy it, first apply false."
  type        = bool
  default     = true
}
