# Runs checkov on templates, all in one process, and prints its failed checks as JSON: file → [check, resource, name].
import json
import os
import sys

os.environ["LOG_LEVEL"] = "ERROR"

from checkov.cloudformation.runner import Runner  # noqa: E402
from checkov.runner_filter import RunnerFilter  # noqa: E402

findings = {}
for file in sys.argv[1:]:
    report = Runner().run(root_folder=None, files=[file], runner_filter=RunnerFilter(framework=["cloudformation"]))
    if report.parsing_errors:
        sys.exit(f"Cannot read {report.parsing_errors}")
    failed = {(check.check_id, check.resource, check.check_name) for check in report.failed_checks}
    findings[os.path.basename(file)] = {"passed": len(report.passed_checks), "failed": sorted(failed)}
json.dump(findings, sys.stdout)
