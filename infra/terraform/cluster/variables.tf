variable "stage" {
  description = "The stage of the deployment: its output `stage`"
  type        = string
}

variable "url" {
  description = "Where the cluster calls: the deployment's output `url`"
  type        = string
}

variable "token" {
  description = "The cluster's token, which `outrigger token add --token-file` has written"
  type        = string
  sensitive   = true
  ephemeral   = true
}

variable "token_revision" {
  description = "Another number whenever the token is another one: Terraform keeps no token that it could compare"
  type        = number
  default     = 1
}

variable "revision" {
  description = "The revision. Use the module once for each"
  type        = string
  default     = "default"
}

variable "phase" {
  description = "How far the rollout is: audit, namespace, cluster or enforce"
  type        = string
  default     = "audit"
  validation {
    condition     = contains(["audit", "namespace", "cluster", "enforce"], var.phase)
    error_message = "The phase is audit, namespace, cluster or enforce."
  }
}

variable "namespaces" {
  description = "The namespaces of the phase namespace"
  type        = list(string)
  default     = []
}

variable "safety_net" {
  description = "What happens to a pod that should have a sidecar and has none: warn, deny, or nothing (empty)"
  type        = string
  default     = ""
}

variable "values" {
  description = "Further values of the chart: injectionLabel, tags, timeoutSeconds, failurePolicy, clusterId, network, caBundle, rbac"
  type        = any
  default     = {}
}

variable "name" {
  description = "The name of the Helm release"
  type        = string
  default     = "outrigger"
}

variable "namespace" {
  description = "The namespace that Helm keeps the release in. The objects themselves belong to the cluster"
  type        = string
  default     = "outrigger"
}

variable "chart" {
  description = "The chart, if it is not the one next to this module: oci://ghcr.io/OWNER/charts/outrigger"
  type        = string
  default     = null
}

variable "chart_version" {
  description = "The version of a chart from a registry"
  type        = string
  default     = null
}
