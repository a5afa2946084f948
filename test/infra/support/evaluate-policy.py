# Evaluates policies on calls with moto's evaluator, one grant at a time. Reads a line {"policy", "calls": [[action, resource, context]]} for
# each, and answers with a line of JSON: the calls that are denied, and the actions and resources of statements without which no call would be.
import json
import sys

from moto.iam.access_control import IAMPolicyStatement, PermissionResult


def allows(grant, call):
    action, resource, context = call
    if grant[1].split(":")[0] != action.split(":")[0]:
        return False
    return grant[3].is_action_permitted(action, resource, None, context) == PermissionResult.PERMITTED


def evaluate(policy, calls):
    grants = [
        (index, action, resource, IAMPolicyStatement({**statement, "Action": action, "Resource": resource}))
        for index, statement in enumerate(policy["Statement"])
        for action in statement["Action"]
        for resource in statement["Resource"]
    ]
    allowing = [[grant[:3] for grant in grants if allows(grant, call)] for call in calls]
    needed = set()
    for found in allowing:
        for kind in (1, 2):
            parts = {(grant[0], kind, grant[kind]) for grant in found}
            if len(parts) == 1:
                needed |= parts
    given_parts = {(grant[0], kind, grant[kind]) for grant in grants for kind in (1, 2)}
    return {
        "denied": [index for index, found in enumerate(allowing) if not found],
        "needless": sorted(f"{policy['Statement'][index].get('Sid')} {part}" for index, _, part in given_parts - needed),
    }


for line in sys.stdin:
    print(json.dumps(evaluate(**json.loads(line))), flush=True)
