# A deployment of Outrigger: the stack of the template that `outrigger package --bucket` has made and uploaded.
terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

data "aws_region" "current" {}

data "aws_partition" "current" {}

locals {
  configuration = jsondecode(file("${var.package}/configuration.json"))
  bucket        = var.bucket == null ? local.configuration.Parameters.ArtifactBucket : var.bucket
  # The key under which `outrigger package` has put the template: another one whenever the template is.
  template_key = "outrigger/template-${filesha256("${var.package}/template.json")}.json"
}

resource "aws_cloudformation_stack" "outrigger" {
  # The command line and the functions know the stack by this name.
  name         = "outrigger-${local.configuration.Tags.stage}"
  template_url = "https://${local.bucket}.s3.${data.aws_region.current.id}.${data.aws_partition.current.dns_suffix}/${local.template_key}"
  parameters   = { ArtifactBucket = local.bucket }
  capabilities = ["CAPABILITY_NAMED_IAM"]
  iam_role_arn = var.service_role
  tags         = merge(var.tags, local.configuration.Tags)
}
