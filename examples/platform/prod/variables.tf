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
  })
  default = null
}

variable "release" {
  description = "Git tag of the repository that prod runs, such as v1.2.3."
  type        = string
  default     = null

  validation {
    condition     = var.release == null || var.repository != null
    error_message = "release is a tag of repository, which is not set. To roll back an image, set image."
  }

  validation {
    condition     = var.repository == null || var.release != null
    error_message = "Set release to the tag of the repository that prod runs."
  }
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

  validation {
    condition     = var.candidate == null ? true : (var.candidate.image == null) != (var.candidate.release == null)
    error_message = "Set either image or release of the candidate."
  }

  validation {
    condition     = var.candidate == null ? true : var.candidate.release == null || var.repository != null
    error_message = "A candidate with a release needs repository. Without one, set its image."
  }

  validation {
    condition     = var.candidate == null ? true : var.candidate.image == null || var.image != null
    error_message = "A candidate with an image needs the image that prod serves: otherwise this apply would also promote what dev serves."
  }
}

variable "evaluation" {
  description = "Dataset on which the agent must have been evaluated before a promotion, and the least average score by feedback key. Only for promotions."
  type = object({
    dataset = string
    scores  = optional(map(number), {})
  })
  default = null

  validation {
    condition     = var.evaluation == null || (var.image == null && var.repository == null)
    error_message = "evaluation is required of what dev serves, so it has no effect on image or repository. Set evaluation = null beside them."
  }
}

variable "dev_workspace_id" {
  description = "Workspace of the control plane that dev is in. Default: the provider's. Only for promotions."
  type        = string
  default     = null

  validation {
    condition     = var.dev_workspace_id == null || (var.image == null && var.repository == null)
    error_message = "With image or repository, prod reads nothing of dev. Set dev_workspace_id = null beside them."
  }
}

variable "cluster" {
  description = "Where prod runs an image. Default: the namespace agents of dev-cluster."
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

variable "resources" {
  description = "Compute of an image. Default: two to four instances with one CPU and 2048 MB each."
  type = object({
    min_scale = optional(number, 2)
    max_scale = optional(number, 4)
    cpu       = optional(number, 1)
    memory_mb = optional(number, 2048)
  })
  default = null

  validation {
    condition     = var.resources == null || var.repository == null
    error_message = "resources has no effect on a repository: the service chooses its compute."
  }
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
