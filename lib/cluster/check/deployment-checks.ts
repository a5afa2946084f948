// The checks of a deployment in AWS: each a verdict about facts that were collected before. Pure.
import { stackAlarms } from "@outrigger/aws";
import type { Facts } from "./facts.ts";
import { failing, judged, ok, some, type Verdict, warning } from "./finding.ts";
import { stackVerdict } from "./stack-remedy.ts";

export function checkCredentials({ deployment }: Facts): Verdict {
  return judged(deployment.caller, ({ who, account }) =>
    account === ""
      ? { level: "unknown", seen: "could not be checked: AWS does not say whose the credentials are" }
      : ok(`${who} in account ${account}`),
  );
}

export function checkRegion({ deployment }: Facts): Verdict {
  return judged(deployment.caller, ({ region }) => ok(region));
}

export function checkStack({ deployment }: Facts): Verdict {
  const { name } = deployment;
  return judged(deployment.stack, (stack) => {
    if (stack === undefined) return failing(`there is no stack outrigger-${name}`, deploy(name));
    const { status, url } = stack;
    const verdict = stackVerdict(name, status);
    if (verdict.level !== "ok" || url !== undefined) return verdict;
    return failing(`outrigger-${name} has no output Url`, deploy(name));
  });
}

/** Calls reach the alias: what was deployed last is live when the alias has its code. */
export function checkFunctions({ deployment }: Facts): Verdict {
  const fix = deploy(deployment.name);
  return judged(deployment.functions, (functions) => {
    const names = Object.keys(functions);
    const missing = names.filter((name) => functions[name] === undefined);
    if (missing.length > 0) return failing(`missing: ${missing.join(", ")}`, fix);
    const broken = names.filter((name) => {
      const one = functions[name];
      return one?.state === "Failed" || one?.lastUpdate === "Failed";
    });
    if (broken.length > 0) return failing(`the last update failed: ${broken.join(", ")}`, fix);
    const { live, codeSha256 } = functions["inject"] ?? {};
    if (live === undefined) return failing("the inject function has no alias live: no call reaches it", fix);
    if (live.codeSha256 !== codeSha256) {
      return warning(`calls reach version ${live.version}, which is older than the code that was deployed last`, fix);
    }
    return ok(`${names.join(", ")}; calls reach version ${live.version}, the code that was deployed last`);
  });
}

/** What is published and what is injected are judged by two functions, which a deploy updates one after the other. */
export function checkGuardrails({ deployment }: Facts): Verdict {
  return judged(deployment.functions, ({ inject, publish }) => {
    const [injecting, publishing] = [inject?.guardrails ?? "", publish?.guardrails ?? ""];
    if (injecting !== publishing) {
      const seen = `injecting has "${injecting}", publishing "${publishing}"`;
      return warning(seen, deploy(deployment.name));
    }
    return ok(injecting === "" ? "none: an edit may add anything to pods" : injecting);
  });
}

export function checkAlarms({ deployment }: Facts): Verdict {
  const { name } = deployment;
  return judged(deployment.alarms, (alarms) => {
    const short = (list: typeof alarms) => some(list.map((one) => one.name.replace(`outrigger-${name}-`, "")));
    if (alarms.length === 0) return failing("there are no alarms", deploy(name));
    const there = new Set(alarms.map((one) => one.name));
    const missing = stackAlarms.filter((alarm) => !there.has(`outrigger-${name}-${alarm}`));
    if (missing.length > 0) return failing(`missing: ${some(missing)}`, "see docs/deploy.md#what-was-deleted-by-hand");
    const firing = alarms.filter(({ state }) => state === "ALARM");
    if (firing.length > 0) return failing(`in alarm: ${short(firing)}`, "see docs/operations.md, under their names");
    const silent = alarms.filter(({ hasActions }) => !hasActions);
    if (silent.length > 0) {
      const fix = `set email or topic in outrigger.${name}.yml, then ${deploy(name)}`;
      return warning(`${silent.length} of ${alarms.length} alarms notify nobody: ${short(silent)}`, fix);
    }
    return ok(`${alarms.length} alarms, all with an action, none in alarm`);
  });
}

export function checkServed({ deployment, flags }: Facts): Verdict {
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
}

export function checkEdits({ deployment, flags }: Facts): Verdict {
  return judged(deployment.sourceDifference, (difference) =>
    difference === undefined
      ? ok("the source is what is served")
      : warning(difference, `outrigger lint --store${flags.deployment}, then outrigger publish${flags.deployment}`),
  );
}

function deploy(name: string): string {
  return `outrigger deploy --stage ${name}`;
}
