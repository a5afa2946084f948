# Evaluates a policy on calls with moto's evaluator, one grant at a time, and prints as JSON the calls that are denied and the
# actions and resources of statements without which no call would be. Reads {"policy", "calls": [[action, resource, context]]}.
import json
import sys

from moto.iam.access_control import IAMPolicyStatement, PermissionResult

given = json.load(sys.stdin)
grants = [
    (index, action, resource, IAMPolicyStatement({**statement, "Action": action, "Resource": resource}))
    for index, statement in enumerate(given["policy"]["Statement"])
    for action in statement["Action"]
    for resource in statement["Resource"]
]


def allows(grant, call):
    action, resource, context = call
    if grant[1].split(":")[0] != action.split(":")[0]:
        return False
    return grant[3].is_action_permitted(action, resource, None, context) == PermissionResult.PERMITTED


allowing = [[grant[:3] for grant in grants if allows(grant, call)] for call in given["calls"]]
needed = set()
for found in allowing:
    for kind in (1, 2):
        parts = {(grant[0], kind, grant[kind]) for grant in found}
        if len(parts) == 1:
            needed |= parts
given_parts = {(grant[0], kind, grant[kind]) for grant in grants for kind in (1, 2)}
json.dump(
    {
        "denied": [index for index, found in enumerate(allowing) if not found],
        "needless": sorted(
            f"{given['policy']['Statement'][index].get('Sid')} {part}" for index, _, part in given_parts - needed
        ),
    },
    sys.stdout,
)
