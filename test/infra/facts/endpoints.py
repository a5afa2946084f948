# Writes endpoints.json: the partition of each Region, and the hosts that botocore's own rules give there for the services that
# Outrigger calls. `pip install botocore`, then `python test/infra/facts/endpoints.py`.
import json
import pathlib

import botocore
import botocore.session

CALLS = {
    "ssm": "GetParameters",
    "sts": "GetCallerIdentity",
    "eks": "DescribeCluster",
    "lambda": "Invoke",
    "cloudwatch": "DescribeAlarms",
    "cloudformation": "DescribeStacks",
}
SAMPLE = {"DescribeCluster": {"name": "c"}, "Invoke": {"FunctionName": "f"}}


def main() -> None:
    session = botocore.session.Session()
    loader = session.get_component("data_loader")
    partitions = loader.load_data("partitions")["partitions"]
    regions = {}
    for partition in partitions:
        for region in sorted(partition["regions"]):
            if region.endswith("-global"):
                continue
            hosts = [host(session, name, region) for name in CALLS]
            regions[region] = " ".join([partition["id"], *hosts])
    facts = {"botocore": botocore.__version__, "services": list(CALLS), "regions": regions}
    pathlib.Path(__file__).with_name("endpoints.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(len(regions), "Regions")



def host(session, name: str, region: str) -> str:
    client = session.create_client(name, region, aws_access_key_id="a", aws_secret_access_key="b")
    operation = client.meta.service_model.operation_model(CALLS[name])
    context = {"client_region": region}
    args = SAMPLE.get(CALLS[name], {})
    endpoint = client._ruleset_resolver.construct_endpoint(operation, args, context)
    return endpoint.url.removeprefix("https://")


main()
