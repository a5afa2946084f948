# Writes handlers.json: the permissions of CloudFormation's handlers for the types of a stack, as AWS's resource schemas have
# them. `pip install --no-deps localstack-core`, which contains copies of these schemas, then `python test/infra/facts/handlers.py`.
# Types without handlers there are in test/infra/support/handler-calls.ts.
import importlib.metadata
import json
import pathlib
import re

HERE = pathlib.Path(__file__).parent


def main() -> None:
    goldens = "".join(path.read_text() for path in (HERE.parent / "golden").glob("*.yml"))
    types = set(re.findall(r"^    Type: (AWS::\S+)$", goldens, re.M))
    package = importlib.metadata.distribution("localstack-core")
    handlers = {}
    for file in package.files or []:
        if not str(file).endswith(".schema.json"):
            continue
        schema = json.loads(file.locate().read_text())
        found = {verb: rule["permissions"] for verb, rule in schema.get("handlers", {}).items() if verb != "list"}
        if schema["typeName"] in types and found:
            handlers[schema["typeName"]] = {verb: " ".join(sorted(set(filter(None, found[verb])))) for verb in sorted(found)}
    facts = {"localstack-core": package.version, "handlers": dict(sorted(handlers.items()))}
    HERE.joinpath("handlers.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(len(handlers), "types")


main()
