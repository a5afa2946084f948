// The settings of a deployment: names, defaults, and what each may be. Everything that knows a setting reads it here: validation, the
// defaults of serverless.yml, and the table of docs/reference/settings.md, where each has its sentence too.
import { isIP } from "node:net";
import { parseGuardrails } from "@outrigger/guardrails";

/** The values that a setting may have: `accepts` is for the program, `form` completes "it must be …". */
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

function arn(pattern: string, what: string): Kind {
  return matching(new RegExp(`^arn:aws[a-z-]*:${pattern}$`), `the ARN of ${what}`);
}

const ON_OFF = choice("on", "off");
/** The days of retention that CloudWatch Logs takes. */
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
  api: { default: "http", kind: choice("http", "rest", "private") },
  alsoApi: { kind: choice("", "http", "rest", "private") },
  sources: {
    default: "0.0.0.0/0,::/0",
    kind: { ...list(/./, "CIDR blocks such as 203.0.113.0/24"), accepts: (text) => text.split(",").every(isCidr) },
  },
  vpcEndpoints: { kind: list(/^vpce-[0-9a-f]{8,17}$/, "IDs of VPC endpoints (vpce-…)") },
  subnets: { kind: list(/^subnet-[0-9a-f]{8,17}$/, "IDs of subnets (subnet-…)") },
  securityGroups: { kind: list(/^sg-[0-9a-f]{8,17}$/, "IDs of security groups (sg-…)") },
  gatewayLogRole: { default: "create", kind: choice("create", "account") },
  guardrails: { kind: GUARDRAILS },
  hold: { default: "powers", kind: choice("everyday", "powers", "off") },
  environment: {
    kind: matching(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/, "small letters, digits and dashes, 32 at most"),
  },
  mesh: { default: "istio", kind: choice("istio", "none") },
  domain: {
    kind: matching(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, "a domain name in lower case"),
  },
  certificate: { kind: arn("acm:[a-z0-9-]+:\\d{12}:certificate/[\\w-]+", "an ACM certificate") },
  executeApi: { default: "on", kind: ON_OFF },
  clusters: { kind: list(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "cluster IDs as in webhook URLs") },
  rate: { default: "200", kind: integer(1, 10_000) },
  burst: { default: "100", kind: integer(1, 5000) },
  clusterRate: { default: "100", kind: integer(1, 10_000) },
  clusterBurst: { default: "50", kind: integer(1, 5000) },
  // Below 256, two releases, a large pod and what is remembered do not fit.
  memory: { default: "1769", kind: integer(256, 10_240) },
  reserved: { default: "100", kind: integer(0, 10_000) },
  provisioned: { default: "0", kind: integer(0, 10_000) },
  ttl: { default: "10", kind: integer(1, 60) },
  bundledFallback: { default: "off", kind: ON_OFF },
  clusterLatency: { default: "off", kind: ON_OFF },
  sharedDomain: { default: "off", kind: ON_OFF },
  replicaOf: { kind: matching(/^[a-z]{2,4}(-[a-z]+)+-\d$/, "a Region such as eu-west-1") },
  replicaOfStage: { kind: matching(/^[a-zA-Z][a-zA-Z0-9-]{0,31}$/, "a stage") },
  tier: { default: "Standard", kind: choice("Standard", "Advanced") },
  releaseBucket: {
    default: "create",
    kind: {
      form: "create, or the name of a bucket in the same Region, without dots",
      accepts: (text) => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(text),
    },
  },
  retention: {
    default: "30",
    kind: {
      form: `a number of days that CloudWatch Logs takes: ${DAYS.join(", ")}`,
      accepts: (text) => DAYS.map(String).includes(text),
      isNumber: true,
    },
  },
  canary: {
    default: "rate(1 minute)",
    kind: {
      form: "rate(1 minute), or rate(2 minutes) to rate(4 minutes)",
      accepts: (text) => /^rate\((1 minute|[2-4] minutes)\)$/.test(text),
    },
  },
  email: { kind: matching(/^[^\s@,]+@[^\s@,.]+(?:\.[^\s@,.]+)+$/, "one e-mail address") },
  topic: { kind: arn("sns:[a-z0-9-]+:\\d{12}:[\\w-]+", "an SNS topic") },
  eventBus: {
    kind: matching(
      /^(?:arn:aws[a-z-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?(?!aws[.])[\w.-]{1,256}$/,
      "default, the name of an event bus, or the ARN of one in the same Region",
    ),
  },
  alarms: { default: "warn", kind: choice("warn", "require", "silent") },
  tags: { kind: list(/^[\w.:/+@-]{1,128}=[\w .:/+@-]{0,256}$/, "KEY=VALUE pairs") },
  kmsKey: { kind: arn("kms:[a-z0-9-]+:\\d{12}:key/[\\w-]+", "a KMS key") },
  permissionsBoundary: { kind: arn("iam::(\\d{12}|aws):policy/[\\w+=,.@/-]+", "an IAM policy") },
  serviceRole: { kind: arn("iam::\\d{12}:role/[\\w+=,.@/-]+", "an IAM role") },
  tracing: { default: "off", kind: ON_OFF },
} as const satisfies Readonly<Record<string, Setting>>;

type SettingName = keyof typeof TABLE;

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
