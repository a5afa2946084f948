# Writes terraform.json: the arguments and attributes of the resources that infra/terraform uses, as the providers' schemas have
# them. Their bindings for Python are generated from these schemas: `pip download --no-deps -d DIR cdktf-cdktf-provider-aws
# cdktf-cdktf-provider-helm`, then `python test/infra/facts/terraform.py DIR`.
import ast
import json
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).parent
USED = {
    "aws": {"aws_cloudformation_stack": "cloudformation_stack", "data.aws_region": "data_aws_region", "data.aws_partition": "data_aws_partition"},
    "helm": {"helm_release": "release"},
}


def arguments(cls: ast.ClassDef) -> dict[str, bool]:
    """Argument -> whether it is required."""
    for member in cls.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            return {one.arg: default is None for one, default in zip(member.args.kwonlyargs, member.args.kw_defaults)}
    return {}


def main(folder: str) -> None:
    facts = {}
    for provider, resources in USED.items():
        [wheel] = pathlib.Path(folder).glob(f"cdktf_cdktf_provider_{provider}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name, module in resources.items():
                tree = ast.parse(archive.read(f"cdktf_cdktf_provider_{provider}/{module}/__init__.py"))
                classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
                [config] = [node for node in classes if node.name.endswith("Config")]
                [resource] = [node for node in classes if node.name == config.name.removesuffix("Config")]
                given = arguments(config)
                members = {member.name for member in resource.body if isinstance(member, ast.FunctionDef)}
                own = {member for member in members if member.islower() and not member.startswith(("_", "put_", "reset_", "to_", "generate_"))}
                facts[name] = {
                    "binding": f"{provider} {wheel.name.split('-')[1]}",
                    "required": sorted(argument for argument, needed in given.items() if needed),
                    "optional": sorted(argument for argument, needed in given.items() if not needed),
                    "attributes": sorted(member for member in own if not member.endswith("_input")),
                }
    HERE.joinpath("terraform.json").write_text(json.dumps(facts, indent=2) + "\n")


main(sys.argv[1])
