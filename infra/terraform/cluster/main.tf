# The objects that make a cluster's API server call a deployment: the chart of infra/chart.
terraform {
  # An ephemeral variable, and a provider that takes one: the token is in no plan and in no state.
  required_version = ">= 1.11"
  required_providers {
    helm = {
      source  = "hashicorp/helm"
      version = ">= 3.1"
    }
  }
}

resource "helm_release" "outrigger" {
  name             = var.name
  chart            = var.chart == null ? "${path.module}/../../chart" : var.chart
  version          = var.chart_version
  namespace        = var.namespace
  create_namespace = true

  values = [yamlencode(merge(var.values, {
    deployment = var.stage
    url        = var.url
    revision   = var.revision
    phase      = var.phase
    namespaces = var.namespaces
    safetyNet  = var.safety_net
  }))]

  set_wo          = [{ name = "token", value = var.token, type = "string" }]
  set_wo_revision = var.token_revision
}
