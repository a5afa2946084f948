// What `outrigger deploy` and `undeploy` of a stage call themselves: the deploy command and its framework. What CloudFormation
// calls for them is in service-role-policy.ts. Pure. test/infra/deploy/policies.test.ts evaluates both on recorded calls.
import type { JsonObject } from "@outrigger/base";
import { arnIn, generatedName, type Place, policyArns, stackNames, statement } from "./stack-names.ts";

/**
 * The statements. With a service role, a stack is changed with this role only, and the role goes to CloudFormation only.
 *
 * @param artifacts the bucket of `outrigger package`, where the deployer uses one
 */
export function deployerStatements(place: Place, serviceRole?: string, artifacts?: string): readonly JsonObject[] {
  const { partition, region, stage } = place;
  const arn = arnIn(place);
  const stack = arn("cloudformation", `stack/outrigger-${stage}/*`);
  const bucket = artifactBucket(place);
  const parameters = (...names: readonly string[]) =>
    names.map((name) => arn("ssm", `parameter/outrigger/${stage}/${name}`));
  const functions = stackNames.functions.map((name) => arn("lambda", `function:outrigger-${stage}-${name}`));
  const change = "CreateStack UpdateStack DeleteStack CreateChangeSet";
  // docs/failed-deploy.md. A rollback is in the role that the stack has: PassServiceRole bounds any other.
  const failed = "DescribeChangeSet ExecuteChangeSet ContinueUpdateRollback RollbackStack";
  const see = "DescribeStacks DescribeStackEvents DescribeStackResource ListStackResources GetTemplate TagResource";
  const upload = "PutObject GetObject AbortMultipartUpload";
  const withRole =
    serviceRole === undefined
      ? [statement("ChangeStack", "cloudformation", change, stack)]
      : [
          statement("ChangeStack", "cloudformation", change, stack, { "cloudformation:RoleArn": serviceRole }),
          statement("PassServiceRole", "iam", "PassRole", serviceRole, {
            "iam:PassedToService": "cloudformation.amazonaws.com",
          }),
        ];
  return [
    ...withRole,
    statement("Stack", "cloudformation", `${see} ${failed}`, stack),
    statement("Validate", "cloudformation", "ValidateTemplate", "*"),
    statement("ListArtifacts", "s3", "ListBucket", bucket),
    statement("Artifacts", "s3", "PutObject GetObject DeleteObject AbortMultipartUpload", `${bucket}/*`),
    ...(artifacts === undefined ? [] : [statement("OwnArtifacts", "s3", upload, ownArtifacts(place, artifacts))]),
    // Whether code has changed since the last deploy, and which guardrails it has.
    statement("SeeFunctions", "lambda", "GetFunction GetFunctionConfiguration", functions),
    // docs/deploy.md: how many containers an account may have
    statement("SeeQuotas", "lambda", "GetAccountSettings", "*"),
    // docs/endpoint.md: written again under another key
    statement("RenewCanaryToken", "ssm", "DeleteParameter", parameters("canary/token")),
    // outrigger deploy --dry-run
    statement("SeeWhatIsServed", "ssm", "GetParameters", parameters("serve/*", "images/*", "releases/*")),
    statement("SeeEdits", "ssm", "GetParametersByPath", parameters("source", "source/*", "channels", "channels/*")),
    // By a prefix, CloudWatch lists alarms only for callers that may describe every alarm.
    statement("SeeAlarms", "cloudwatch", "DescribeAlarms", arn("cloudwatch", "alarm:*")),
    statement(
      "ClusterAlarms",
      "cloudwatch",
      "PutMetricAlarm",
      arn("cloudwatch", `alarm:outrigger-${stage}-no-calls-*`),
    ),
    // Throttles of a cluster's routes, before the routes go, and again if they stay. An API has no name in its ARN.
    statement("Routes", "apigateway", "GET DELETE PATCH", `arn:${partition}:apigateway:${region}::/apis/*/stages/*`),
    // Before a removal: who still has one of the stage's policies.
    statement("SeeAttached", "iam", "ListEntitiesForPolicy", policyArns(place)),
  ];
}

/** What `outrigger package` uploads, and `aws cloudformation deploy` after it: no release, where one bucket has both. */
export function ownArtifacts({ partition }: Place, bucket: string): readonly string[] {
  return ["zip", "json", "template"].map((end) => `arn:${partition}:s3:::${bucket}/outrigger/*.${end}`);
}

/** Where the framework keeps artifacts. */
export function artifactBucket({ partition, stage }: Place): string {
  return `arn:${partition}:s3:::${generatedName(stage.toLowerCase(), "serverlessdeploymentbucket", 63)}`;
}
