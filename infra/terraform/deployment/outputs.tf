output "url" {
  description = "Where clusters call"
  value       = aws_cloudformation_stack.outrigger.outputs["Url"]
}

output "stage" {
  description = "The stage of the deployment, for `outrigger --deployment`"
  value       = local.configuration.Tags.stage
}

output "prefix" {
  description = "Where templates are edited in Parameter Store"
  value       = aws_cloudformation_stack.outrigger.outputs["Prefix"]
}

output "registrar" {
  description = "The ServiceToken of the custom resource that registers clusters"
  value       = aws_cloudformation_stack.outrigger.outputs["Registrar"]
}

output "registrar_role" {
  description = "The ARN of that resource's role, which needs an access entry in each cluster"
  value       = aws_cloudformation_stack.outrigger.outputs["RegistrarRole"]
}
