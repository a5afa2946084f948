variable "package" {
  description = "The directory that `outrigger package` has written"
  type        = string
}

variable "bucket" {
  description = "The bucket with the code, in the Region of the stack, if it is not the one that `outrigger package --bucket` named"
  type        = string
  default     = null
}

variable "service_role" {
  description = "The ARN of the role with which CloudFormation makes the stack, in place of the caller's"
  type        = string
  default     = null
}

variable "tags" {
  description = "Tags of the stack, in addition to those of the settings"
  type        = map(string)
  default     = {}
}
