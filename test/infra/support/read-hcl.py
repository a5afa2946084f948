# Prints the .tf files of a folder as one JSON object: file -> what python-hcl2 reads in it.
import json
import pathlib
import sys

import hcl2

files = sorted(pathlib.Path(sys.argv[1]).glob("*.tf"))
print(json.dumps({file.name: hcl2.loads(file.read_text()) for file in files}))
