// The settings of a deployment: names, defaults, what each may be, and its line in docs/reference/settings.md. Everything that
// knows a setting reads it here: validation, the defaults of serverless.yml, and the table in the docs.
import { isIP } from "node:net";
import { parseGuardrails } from "@outrigger/guardrails";

/** What a value may be: `accepts` is for the program, `form` completes "it must be …". */
export interface Kind {
  readonly form: string;
  readonly accepts: (text: string) => boolean;
  /** Whether the framework needs it as a number. */
  readonly isNumber?: true;
}

interface Setting {
  /** Left out: empty. */
  readonly default?: string;
  readonly kind: Kind;
  /** In Markdown. */
  readonly description: string;
}

function choice(...choices: readonly string[]): Kind {
  return {
    form: choices.map((text) => (text === "" ? "empty" : text)).join(", "),
    accepts: (text) => choices.includes(text),
  };
}

function integer(least: number, most: number): Kind {
  const accepts = (text: string) => /^\d{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most;
  return { form: `a whole number from ${least} to ${most}`, accepts, isNumber: true };
}

function matching(pattern: RegExp, form: string): Kind {
  return { form: `${form}, or empty`, accepts: (text) => text === "" || pattern.test(text) };
}

function list(pattern: RegExp, form: string): Kind {
  const accepts = (text: string) => text === "" || text.split(",").every((item) => pattern.test(item));
  return { form: `${form}, separated by commas without spaces`, accepts };
}

const ON_OFF = choice("on", "off");
const ARN = "arn:aws[a-z-]*";
/** What CloudWatch Logs takes. */
const DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

const GUARDRAILS: Kind = {
  form: "a level (off, privileged, baseline, restricted) and what is allowed besides, as docs/guardrails.md has it",
  accepts: (text) => {
    try {
      return parseGuardrails(text).level !== undefined;
    } catch {
      return false;
    }
  },
};

const TABLE = {
  api: {
    default: "http",
    kind: choice("http", "rest", "private"),
    description: "`http`; `rest`: callers by address; `private`: [from VPCs only](../endpoint.md#a-private-api)",
  },
  alsoApi: {
    kind: choice("", "http", "rest", "private"),
    description: "keeps an API of another kind as well, [while `api` changes](../endpoint.md#changing-the-api)",
  },
  sources: {
    default: "0.0.0.0/0,::/0",
    kind: { ...list(/./, "CIDR blocks such as 203.0.113.0/24"), accepts: (text) => text.split(",").every(isCidr) },
    description: "`rest`: CIDR blocks that may call. Everyone else gets a 403 from the gateway",
  },
  vpcEndpoints: {
    kind: list(/^vpce-[0-9a-f]{8,17}$/, "IDs of VPC endpoints (vpce-…)"),
    description: "`private`: the interface endpoints for `execute-api` that calls come through",
  },
  subnets: {
    kind: list(/^subnet-[0-9a-f]{8,17}$/, "IDs of subnets (subnet-…)"),
    description: "`private`: where the canary runs",
  },
  securityGroups: {
    kind: list(/^sg-[0-9a-f]{8,17}$/, "IDs of security groups (sg-…)"),
    description: "`private`: those of the canary",
  },
  gatewayLogRole: {
    default: "create",
    kind: choice("create", "account"),
    description:
      "`rest`, `private`: API Gateway needs a role to write logs, one for an account and Region. `account`: the account has one",
  },
  guardrails: {
    kind: GUARDRAILS,
    description:
      "[what an injection may add to a pod](../guardrails.md): `baseline`, and what it allows besides. Empty: anything",
  },
  domain: {
    kind: matching(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, "a domain name in lower case"),
    description: "`http`, `rest`: [a name of your own](../endpoint.md#a-name-of-your-own)",
  },
  certificate: {
    kind: matching(new RegExp(`^${ARN}:acm:[a-z0-9-]+:\\d{12}:certificate/[\\w-]+$`), "the ARN of an ACM certificate"),
    description: "its ACM certificate, in the same Region",
  },
  executeApi: {
    default: "on",
    kind: ON_OFF,
    description:
      "`off`: the API answers under `domain` only, and no longer under its `execute-api` name. Switch it off one deploy after `domain` is set",
  },
  clusters: {
    kind: list(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "cluster IDs as in webhook URLs"),
    description: "cluster IDs with a [throttle](../endpoint.md#throttles) of their own",
  },
  rate: {
    default: "200",
    kind: integer(1, 10_000),
    description: "calls a second on each of the four shared routes, for all other clusters together",
  },
  burst: { default: "100", kind: integer(1, 5000), description: "the burst of that rate" },
  clusterRate: {
    default: "100",
    kind: integer(1, 10_000),
    description: "calls a second on each route of each cluster in `clusters`",
  },
  clusterBurst: { default: "50", kind: integer(1, 5000), description: "the burst of that rate" },
  memory: {
    default: "1769",
    // Below this, two releases, a large pod and what is remembered do not fit.
    kind: integer(256, 10_240),
    description: "MB of the inject function: [why](../contributing/deployment.md#memory)",
  },
  reserved: {
    default: "100",
    kind: integer(0, 10_000),
    description:
      "the most containers of the inject function at once, taken from the account's quota. `0`: nothing is reserved, and nothing for the publish function either. Publishes may then overlap: each is complete and the later one is served, but a line of the history can be lost",
  },
  provisioned: {
    default: "0",
    kind: integer(0, 10_000),
    description: "containers that are kept warm. You pay for them whether they are called or not",
  },
  ttl: {
    default: "10",
    kind: integer(1, 60),
    description: "seconds after which a warm container asks whether there is a newer release",
  },
  bundledFallback: {
    default: "on",
    kind: ON_OFF,
    description:
      "`off`: when nothing else can be read, fail and let `failurePolicy` decide, instead of serving the release in the artifact",
  },
  clusterLatency: {
    default: "off",
    kind: ON_OFF,
    description: "`on`: latency is a [metric](../cost.md#metrics-are-most-of-it) of each cluster too",
  },
  sharedDomain: {
    default: "off",
    kind: ON_OFF,
    description:
      "`on`: a deployment in [another Region](../replica.md) answers under `domain` too. The canary always connects to this one, whatever DNS says",
  },
  replicaOf: {
    kind: matching(/^[a-z]{2,4}(-[a-z]+)+-\d$/, "a Region such as eu-west-1"),
    description:
      "makes this deployment [a replica](../replica.md) of one in that Region: it serves what that one serves, and nothing is published here",
  },
  replicaOfStage: {
    kind: matching(/^[a-zA-Z][a-zA-Z0-9-]{0,31}$/, "a stage"),
    description: "the stage of that deployment, where it is not the same as here",
  },
  tier: {
    default: "Standard",
    kind: choice("Standard", "Advanced"),
    description: "`Advanced`: parameters of 8 KB, which AWS charges for. It cannot be changed back",
  },
  releaseBucket: {
    kind: matching(
      /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/,
      "create, or the name of a bucket in the same Region, without dots",
    ),
    description:
      "`create`, or a bucket that exists: what is [too large for parameters](../releases.md#releases-in-a-bucket) is kept there",
  },
  retention: {
    default: "30",
    kind: {
      form: `a number of days that CloudWatch Logs takes: ${DAYS.join(", ")}`,
      accepts: (text) => DAYS.map(String).includes(text),
      isNumber: true,
    },
    description: "days of logs",
  },
  canary: {
    default: "rate(1 minute)",
    kind: {
      form: "rate(1 minute), or rate(2 minutes) to rate(4 minutes)",
      accepts: (text) => /^rate\((1 minute|[2-4] minutes)\)$/.test(text),
    },
    description: "how often the canary calls",
  },
  email: {
    kind: matching(/^[^\s@,]+@[^\s@,.]+(?:\.[^\s@,.]+)+$/, "one e-mail address"),
    description: "the address that alarms are sent to. A topic is made, and SNS asks the address to confirm",
  },
  topic: {
    kind: matching(new RegExp(`^${ARN}:sns:[a-z0-9-]+:\\d{12}:[\\w-]+$`), "the ARN of an SNS topic"),
    description: "an existing SNS topic that alarms are sent to",
  },
  alarms: {
    default: "warn",
    kind: choice("warn", "require", "silent"),
    description:
      "what a deploy does if neither `email` nor `topic` is set, so that alarms notify nobody: warn, refuse (`require`), or nothing (`silent`)",
  },
  tags: {
    kind: list(/^[\w.:/+@-]{1,128}=[\w .:/+@-]{0,256}$/, "KEY=VALUE pairs"),
    description: "tags of every resource, in addition to `service` and `stage`",
  },
  kmsKey: {
    kind: matching(new RegExp(`^${ARN}:kms:[a-z0-9-]+:\\d{12}:key/[\\w-]+$`), "the ARN of a KMS key"),
    description:
      "[a key of your own](../endpoint.md#a-key-of-your-own) for logs, dead letters, the alarms' topic and the canary's token",
  },
  permissionsBoundary: {
    kind: matching(new RegExp(`^${ARN}:iam::(\\d{12}|aws):policy/[\\w+=,.@/-]+$`), "the ARN of an IAM policy"),
    description: "the permissions boundary of every role",
  },
  serviceRole: {
    kind: matching(new RegExp(`^${ARN}:iam::\\d{12}:role/[\\w+=,.@/-]+$`), "the ARN of an IAM role"),
    description:
      "the role with which CloudFormation makes the stack, in place of [who deploys](../roles.md#who-may-deploy)",
  },
  tracing: {
    default: "off",
    kind: ON_OFF,
    description:
      "`on`: X-Ray [traces](../traces.md) of functions, and of a REST API; an HTTP API has none. [Paid for by trace](https://aws.amazon.com/xray/pricing/)",
  },
} as const satisfies Readonly<Record<string, Setting>>;

type SettingName = keyof typeof TABLE;

/** The text of every setting. */
export type SettingValues = Readonly<Record<SettingName, string>>;

export const SETTINGS = (Object.keys(TABLE) as SettingName[]).map(
  (name): Required<Setting> & { readonly name: SettingName } => ({ default: "", ...TABLE[name], name }),
);

export const DEFAULTS = Object.fromEntries(SETTINGS.map(({ name, default: text }) => [name, text])) as SettingValues;

function isCidr(text: string): boolean {
  const [, address = "", bits = ""] = /^([0-9a-fA-F:.]+)\/(\d|[1-9]\d{1,2})$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}
