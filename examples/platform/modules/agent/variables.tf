variable "name" {
  description = "Name of the deployment, unique in the workspace. Self-hosted installations allow at most 21 characters."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,20}$", var.name))
    error_message = "A name has at most 21 lower-case letters, digits and dashes, and begins with a letter."
  }
}

variable "image" {
  description = "Container image to deploy, by digest. Set either this or repository."
  type        = string
  default     = null

  validation {
    condition     = var.image == null || can(regex("@sha256:[0-9a-f]{64}$", var.image))
    error_message = "Name the image by its digest (registry/name@sha256:...), so that every environment runs the same bits."
  }
}

variable "cluster" {
  description = "Where an image runs: the compute_id of the listener, and a namespace of its cluster. Not for a repository."
  type = object({
    compute_id = string
    namespace  = string
  })
  default = null
}

variable "repository" {
  description = "Repository to build and deploy, by the name of its integration, its URL, and the path of the graph configuration. Set either this or image."
  type = object({
    integration       = string
    url               = string
    graph_config_path = string
    deployment_type   = optional(string, "prod")
    build_on_push     = optional(bool, false)
  })
  default = null
}

variable "ref" {
  description = "Branch of the repository, such as main, or the full ref of a tag, such as refs/tags/v1.2.3."
  type        = string
  default     = null

  validation {
    condition     = var.ref == null || var.repository != null
    error_message = "ref is a branch or tag of repository, which is not set."
  }

  validation {
    condition     = var.repository == null || var.ref != null
    error_message = "Set ref to a branch or tag of the repository."
  }
}

variable "resources" {
  description = "Compute of an image. Fields that are not set have the installation's defaults. Not for a repository."
  type = object({
    min_scale = optional(number)
    max_scale = optional(number)
    cpu       = optional(number)
    memory_mb = optional(number)
  })
  default = null

  validation {
    condition     = var.resources == null || var.repository == null
    error_message = "resources has no effect on a repository: the service chooses its compute."
  }
}

variable "environment" {
  description = "Environment variables that are not secret."
  type        = map(string)
  default     = {}
}

variable "secrets" {
  description = "Secret environment variables. They are stored neither in plans nor in the state."
  type        = map(string)
  default     = {}
  sensitive   = true
  ephemeral   = true
}

variable "prices" {
  description = "Prices of models in US dollars per token, by the name of the model. They apply to the whole workspace: price each model in one place only."
  type = map(object({
    prompt_cost     = string
    completion_cost = string
  }))
  default = {}
}

variable "smoke_test_model" {
  description = "Model that the smoke test of tracing names. It needs a price. Without it, there is no smoke test."
  type        = string
  default     = null
}

variable "limits" {
  description = "Limits for the traces that the newest revision has logged in the last window. None is met with fewer than min_traces. Null checks nothing."
  type = object({
    window          = optional(string, "24h")
    min_traces      = optional(number, 20)
    max_error_rate  = optional(number, 0.05)
    max_latency_p99 = optional(number, 30)
    max_cost        = optional(number, 100)
    max_unpriced    = optional(number, 0)
  })
  default = {}
}

variable "deletion_protection" {
  description = "Whether to refuse plans that destroy or replace the deployment."
  type        = bool
  default     = false
}

variable "delete_tracing_project" {
  description = "Whether destroying the deployment deletes its traces and releases its name. Only with the dialect langsmith."
  type        = bool
  default     = false
}
