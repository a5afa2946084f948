# Runs cfn-lint, CloudFormation's linter, on templates. Reads a line {"regions", "files"} for each run, and answers with a line of JSON: what cfn-lint printed
# where there are errors, and nothing where there are none. Loading cfn-lint takes longer than many a run.
import contextlib
import io
import json
import sys

from cfnlint.runner import main


def lint(regions, files):
    printed = io.StringIO()
    sys.argv = ["cfn-lint", "--non-zero-exit-code", "error", "--regions", *regions, "--", *files]
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code
    return printed.getvalue() or f"exit code {code}" if code else ""


for line in sys.stdin:
    print(json.dumps(lint(**json.loads(line))), flush=True)
