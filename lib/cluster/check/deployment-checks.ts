// The checks of a deployment in AWS: each a verdict about facts that were collected before. Pure.
import { stackNames } from "@outrigger/aws";
import { describeImage, type VerifiedImage } from "../names/verify-names.ts";
import type { Checks } from "./check.ts";
import type { DeployedFacts, Facts } from "./collect-facts.ts";
import { failing, judged, ok, some, unchecked, type Verdict, warning } from "./finding.ts";
import { deploy, stackVerdict } from "./stack-verdict.ts";

export const deploymentChecks = {
  credentials: {
    isEarly: true,
    doc: "AWS credentials were found, and AWS says whose they are. Unknown: sign in with `aws sso login`, or use `--profile`.",
    judge({ deployment }: Facts): Verdict {
      return judged(deployment.caller, ({ who, account }) =>
        account === "" ? unchecked("AWS does not say whose the credentials are") : ok(`${who} in account ${account}`),
      );
    },
  },

  region: {
    isEarly: true,
    doc: "A Region is known. Unknown: set `--region` or `AWS_REGION`.",
    judge({ deployment }: Facts): Verdict {
      return judged(deployment.caller, ({ region }) => ok(region));
    },
  },

  stack: {
    isEarly: true,
    doc: "The last change of the deployment's stack succeeded. Warning: a change is in progress, or CloudFormation found drift. Error: the stack is missing, or its last change failed: see [when a deploy fails](failed-deploy.md).",
    judge({ deployment }: DeployedFacts): Verdict {
      const { name } = deployment;
      return judged(deployment.stack, (stack) => {
        if (stack === undefined) return failing(`there is no stack outrigger-${name}`, deploy(name));
        const { url, drifted } = stack;
        const verdict = stackVerdict(name, stack);
        if (verdict.level !== "ok") return verdict;
        if (url === undefined) return failing(`${stack.name} has no output Url`, deploy(name));
        if (drifted === undefined) return verdict;
        return warning(`${verdict.seen}; CloudFormation found drift at ${drifted}`, RESTORE);
      });
    },
  },

  /** Calls reach the alias: what was deployed last is live when the alias has its code. */
  functions: {
    isEarly: true,
    doc: "All functions exist and run the code that was deployed last. Warning: calls reach an older version. Error: a function, its last update or the alias `live` is missing or failed. Deploy again for both.",
    judge({ deployment }: DeployedFacts): Verdict {
      const fix = deploy(deployment.name);
      return judged(deployment.functions, (functions) => {
        const names = Object.keys(functions);
        const missing = names.filter((name) => functions[name] === undefined);
        if (missing.length > 0) return failing(`missing: ${missing.join(", ")}`, fix);
        const broken = names.filter((name) => [functions[name]?.state, functions[name]?.lastUpdate].includes("Failed"));
        if (broken.length > 0) return failing(`the last update failed: ${broken.join(", ")}`, fix);
        const { live, codeSha256 } = functions["inject"] ?? {};
        if (live === undefined) return failing("the inject function has no alias live: no call reaches it", fix);
        if (live.codeSha256 !== codeSha256) {
          return warning(
            `calls reach version ${live.version}, which is older than the code that was deployed last`,
            fix,
          );
        }
        return ok(`${names.join(", ")}; calls reach version ${live.version}, the code that was deployed last`);
      });
    },
  },

  /** Two functions judge what is published and what is injected; a deploy updates one after the other. */
  guardrails: {
    isEarly: true,
    doc: "The inject and publish functions have the same [guardrails](guardrails.md). Warning: they differ. Deploy again.",
    judge({ deployment }: DeployedFacts): Verdict {
      return judged(deployment.functions, ({ inject, publish }) => {
        const [injecting, publishing] = [inject?.guardrails ?? "", publish?.guardrails ?? ""];
        if (injecting !== publishing) {
          const seen = `injecting has "${injecting}", publishing "${publishing}"`;
          return warning(seen, deploy(deployment.name));
        }
        return ok(injecting === "" ? "none: an edit may add anything to pods" : injecting);
      });
    },
  },

  /** Metrics are made of log lines: without a group, or with another filter, alarms on them cannot fire. */
  logs: {
    isEarly: true,
    doc: "The log groups exist, functions write to theirs, and the gateway's has three metric filters. Error: alarms that are made of these logs cannot fire: restore [the log groups](runbooks/monitoring.md#metrics-silent) or [the filters](runbooks/monitoring.md#access-log-silent).",
    judge({ deployment }: DeployedFacts): Verdict {
      const { name, functions } = deployment;
      return judged(deployment.logs, (logs) => {
        const groups = stackNames.logGroups(name);
        const missing = groups.filter((group) => logs[group] === undefined);
        if (missing.length > 0)
          return failing(`missing: ${some(missing)}`, "see docs/runbooks/monitoring.md#metrics-silent");
        const filters = logs[groups.at(-1) ?? ""] ?? [];
        const wrong = Object.entries(stackNames.filters).flatMap(([metric, pattern]) => {
          const own = filters.filter((filter) => filter.metric === metric);
          if (own.length === 0) return [`no metric filter ${metric}`];
          const isDeployed =
            own.length === 1 && own[0]?.pattern === pattern && own[0].as === "Outrigger 1 Stage=$.stage";
          return isDeployed ? [] : [`the metric filter ${metric} is not the one that was deployed`];
        });
        if (wrong.length > 0) return failing(some(wrong), "see docs/runbooks/monitoring.md#access-log-silent");
        const groupOf = (part: string) => `/aws/lambda/outrigger-${name}-${part}`;
        const known = Object.entries(functions.known ? functions.value : {});
        const elsewhere = known.filter(([part, one]) => (one?.logGroup ?? groupOf(part)) !== groupOf(part));
        if (elsewhere.length === 0)
          return ok(`${groups.length} log groups, ${Object.keys(stackNames.filters).length} metric filters`);
        return failing(some(elsewhere.map(([part, one]) => `${part} logs to ${one?.logGroup}`)), RESTORE);
      });
    },
  },

  alarms: {
    isEarly: true,
    doc: "Every alarm exists, does not fire, and notifies a topic. Warning: an alarm notifies nobody: set `email` or `topic`. Error: an alarm fires (see [the runbooks](operations.md)), is switched off, or is missing ([restore it](failed-deploy.md#what-was-deleted-by-hand)).",
    judge({ deployment }: DeployedFacts): Verdict {
      const { name } = deployment;
      const drift = alarmDrift({ deployment });
      if (drift !== undefined) return drift;
      return judged(deployment.alarms, (alarms) => {
        const short = (list: typeof alarms) => some(list.map((one) => one.name.replace(`outrigger-${name}-`, "")));
        const firing = alarms.filter(({ state }) => state === "ALARM");
        if (firing.length > 0)
          return failing(`in alarm: ${short(firing)}`, "see docs/operations.md, under their names");
        const silent = alarms.filter(({ hasActions }) => !hasActions);
        if (silent.length > 0) {
          const fix = `set email or topic in outrigger.${name}.yml, then ${deploy(name)}`;
          return warning(`${silent.length} of ${alarms.length} alarms notify nobody: ${short(silent)}`, fix);
        }
        return ok(`${alarms.length} alarms, all with an action, none in alarm`);
      });
    },
  },

  served: {
    isEarly: true,
    doc: "The release of every channel can be read, and is the one that its record names. Error: publish again, or run `outrigger repair`.",
    judge({ deployment, flags }: Facts): Verdict {
      const publish = `outrigger publish${flags.deployment}`;
      return judged(deployment.served, ({ channels, records, seq }) => {
        const names = Object.keys(records);
        if (names.length === 0) return failing("no channel serves anything", publish);
        const behind = names.filter((name) => channels[name] !== records[name]);
        if (behind.length > 0) {
          return failing(`containers do not read what the record says: ${behind.join(", ")}`, publish);
        }
        return ok(`snapshot ${seq} is whole: ${names.map((name) => `${name} ${records[name]}`).join(", ")}`);
      });
    },
  },

  edits: {
    isEarly: true,
    doc: "The channel serves the current source tree. Warning: an edit was rejected, or the channel is pinned: `outrigger publish` prints the reason.",
    judge({ deployment, flags }: Facts): Verdict {
      return judged(deployment.sourceDifference, (difference) =>
        difference === undefined
          ? ok("the source is what is served")
          : warning(difference, `outrigger lint source${flags.deployment}, then outrigger publish${flags.deployment}`),
      );
    },
  },

  images: {
    isEarly: true,
    doc: "With `--verify`: every image that a served release injects exists. Error: a registry has no such image: fix the name. Unknown: the registry did not answer; Amazon ECR needs `ecr:GetAuthorizationToken` and `ecr:BatchGetImage`.",
    judge({ deployment: { images } }: Facts): Verdict | undefined {
      return (
        images &&
        judged(images, (verified) => {
          const of = (kind: VerifiedImage["found"]["kind"]) => verified.filter(({ found }) => found.kind === kind);
          const [missing, unknown] = [of("missing"), of("unknown")];
          if (missing.length > 0) {
            const place = missing.find((image) => image.place !== undefined)?.place ?? "the values";
            return failing(some(missing.map(describeImage)), `fix the name in ${place}, then outrigger push`);
          }
          if (unknown.length > 0) return unchecked(some(unknown.map(describeImage)));
          return ok(some(verified.map(describeImage)));
        })
      );
    },
  },
} satisfies Checks;

/** Alarms that are gone, or whose actions were switched off; undefined where they are as they were deployed. */
export function alarmDrift({ deployment }: DeployedFacts): Verdict | undefined {
  const { name, alarms } = deployment;
  if (!alarms.known) return undefined;
  if (alarms.value.length === 0) return failing("there are no alarms", RESTORE);
  const there = new Set(alarms.value.map((one) => one.name));
  const missing = stackNames.alarms.filter((alarm) => !there.has(`outrigger-${name}-${alarm}`));
  if (missing.length > 0) return failing(`missing: ${some(missing)}`, RESTORE);
  const off = alarms.value.filter(({ isEnabled }) => !isEnabled).map((one) => one.name);
  if (off.length === 0) return undefined;
  const seen = `actions are switched off: ${some(off)}`;
  return failing(seen, `aws cloudwatch enable-alarm-actions --alarm-names ${off.join(" ")}`);
}

/** A deploy does not bring back what is gone: CloudFormation compares templates. */
const RESTORE = "see docs/failed-deploy.md#what-was-deleted-by-hand";
