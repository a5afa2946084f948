# moto with two things that it lacks in templates: AWS::Lambda::Alias, and the Version attribute of AWS::Lambda::Version.
from moto.awslambda import models
from moto.core.common_models import CloudFormationModel


class TemplateAlias(CloudFormationModel):
    __module__ = models.__name__  # moto reads the service from it

    def __init__(self, alias):
        self.alias = alias
        self.physical_resource_id = alias.arn

    @staticmethod
    def cloudformation_name_type():
        return None

    @staticmethod
    def cloudformation_type():
        return "AWS::Lambda::Alias"

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
        given = cloudformation_json["Properties"]
        backend = models.lambda_backends[account_id][region_name]
        return cls(backend.create_alias(given["Name"], given["FunctionName"], str(given["FunctionVersion"]), "", ""))

    @classmethod
    def update_from_cloudformation_json(cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
        given = cloudformation_json["Properties"]
        original_resource.alias.update(None, str(given["FunctionVersion"]), None)
        return original_resource

    @classmethod
    def delete_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name):
        pass


models.LambdaVersion.has_cfn_attr = classmethod(lambda cls, name: name == "Version")
models.LambdaVersion.get_cfn_attribute = lambda self, name: self.version

if __name__ == "__main__":
    import sys

    from moto.server import main

    main(sys.argv[1:])
