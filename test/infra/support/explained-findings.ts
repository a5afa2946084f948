// What checkov finds and is meant so: each check with the resources it finds, and why. A finding that is not here fails a test, and
// so does an entry that is found nowhere.

export interface Explained {
  /** Logical IDs. */
  readonly resources: RegExp;
  readonly why: string;
  /** Its search is by chance: not found in every run. */
  readonly isUnsteady?: true;
}

export const EXPLAINED: Readonly<Record<string, Explained>> = {
  CKV_AWS_18: {
    resources: /^(ServerlessDeployment|Release)Bucket$/,
    why: "access logs of the artifacts' bucket and the release bucket: only deployers reach the one and the functions the other, CloudTrail has their calls, and a log would need another bucket",
  },
  CKV_AWS_21: {
    resources: /^(ServerlessDeployment|Release)Bucket$/,
    why: "versions of artifacts and releases: every deploy writes to a folder of its own, a release is named by its digest, and neither is ever written with other bytes",
  },
  CKV_AWS_26: {
    resources: /^AlarmTopic$/,
    why: "the alarms' topic says names and numbers only, and AWS's own key does not let CloudWatch send: set `kmsKey`",
  },
  CKV_AWS_27: {
    resources: /^PublishDeadLetters$/,
    why: "the queue is encrypted, with SQS's own key (`SqsManagedSseEnabled`), which the check does not know; or set `kmsKey`",
  },
  CKV_AWS_45: {
    resources: /^(Inject|Publish|Register|Canary)LambdaFunction$/,
    why: "no secret is in the environment: IDs of VPC endpoints look like one",
    isUnsteady: true,
  },
  CKV_AWS_59: {
    resources: /Method$/,
    why: "an API server cannot sign its calls: a token in the path is what authorizes, with a resource policy where `sources` or `vpcEndpoints` are set",
  },
  CKV_AWS_73: { resources: /^(Rest|Private)ApiStage$/, why: "X-Ray is paid for by trace: set `tracing: on`" },
  CKV_AWS_111: {
    resources: /^CanaryRole$/,
    why: "network interfaces of a private API's canary: Lambda's own calls, for which EC2 has no resources",
  },
  CKV_AWS_115: {
    resources: /^(Canary|Register)LambdaFunction$/,
    why: "a reservation is taken from the account's quota: one call a minute and one for each stack need none",
  },
  CKV_AWS_116: {
    resources: /^(Inject|Publish|Register|Canary)LambdaFunction$/,
    why: "publish has an on-failure destination, which the check does not know; inject is called synchronously, register answers CloudFormation, the canary calls again in a minute",
  },
  CKV_AWS_117: {
    resources: /^(Inject|Publish|Register|Canary)LambdaFunction$/,
    why: "functions call Parameter Store and nothing in a network; in one they would need a NAT gateway or endpoints to do so",
  },
  CKV_AWS_120: {
    resources: /^(Rest|Private)ApiStage$/,
    why: "answers to a POST about one pod must never be cached",
  },
  CKV_AWS_158: {
    resources: /^(AccessLogs|(Inject|Publish|Register|Canary)LogGroup)$/,
    why: "CloudWatch encrypts logs with its own key, and no line has a secret: set `kmsKey` for a key of your own",
  },
  CKV_AWS_173: {
    resources: /^(Inject|Publish|Register|Canary)LambdaFunction$/,
    why: "the environment has names and numbers only, encrypted with Lambda's key; a key of your own would be asked at every cold start",
  },
};
