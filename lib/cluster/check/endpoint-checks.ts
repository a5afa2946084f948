// The checks of the webhook's endpoint, as this machine reaches it. Pure.

import type { Checks } from "./check.ts";
import type { EndpointFacts, Facts } from "./collect-facts.ts";
import { failing, judged, ok, some, type Verdict, warning } from "./finding.ts";
import { ofCluster } from "./of-cluster.ts";

const DAY = 86_400_000;
/** API Gateway renews its certificates two months before their end. */
const SHORTEST_VALIDITY = 14 * DAY;
const OLDEST_TOKEN = 180 * DAY;

export interface TlsQuestion {
  readonly endpoint: Pick<EndpointFacts, "tls">;
  readonly now: number;
}

export const endpointChecks = {
  tls: {
    isEarly: true,
    doc: "This machine reaches the URL, and its certificate is valid for two more weeks. Warning: it ends earlier: renew an imported certificate yourself.",
    judge({ endpoint, now }: TlsQuestion): Verdict {
      return judged(endpoint.tls, ({ protocol, validTo, milliseconds }) => {
        const days = Math.floor((validTo - now) / DAY);
        const seen = `${protocol} in ${milliseconds} ms; the certificate is valid for ${days} more days`;
        if (validTo - now >= SHORTEST_VALIDITY) return ok(seen);
        return warning(seen, "renew the domain's certificate: docs/endpoint.md");
      });
    },
  },

  "self-test": {
    isEarly: true,
    doc: "Three calls with a pod succeed, in less than half of the webhook's timeout. Warning: a call took longer: pods may be admitted or rejected without an answer. Error: a call failed.",
    judge({ endpoint, flags }: Facts): Verdict {
      return judged(endpoint.calls, ({ milliseconds, withToken, isInjected, problem, timeoutSeconds }) => {
        const fix = withToken ? `outrigger register${flags.cluster}` : "see docs/runbooks/endpoint.md#canary";
        if (problem !== undefined) return failing(problem, fix);
        const slowest = Math.max(...milliseconds);
        const times = `${milliseconds.map((time) => `${time} ms`).join(", ")} with a new connection each`;
        const answers = withToken ? "it answers, and no template is for its pod" : "it answers (tried without a token)";
        const seen = `${isInjected ? "it injects" : answers}: ${times}`;
        if (slowest <= (timeoutSeconds * 1000) / 2) return ok(seen);
        const waits = `${seen}; the API server waits ${timeoutSeconds} s`;
        return warning(waits, "see docs/runbooks/injection.md#latency, or register with a longer --timeout");
      });
    },
  },

  tokens: {
    isEarly: false,
    doc: "One token is live and younger than 180 days. Warning: it is older, or two are live: finish the rotation with `outrigger token rotate`. Error: no token is live: register again.",
    judge: ofCluster("record", (record, _cluster, { now, flags }) => {
      const tokens = record?.tokens ?? [];
      const ages = tokens.map(({ created }) => `${Math.floor((now - Date.parse(created)) / DAY)} days`);
      const rotate = `outrigger token rotate${flags.cluster}`;
      if (tokens.length === 0)
        return failing("no token is live: no call is answered", `outrigger register${flags.cluster}`);
      if (tokens.length > 1) return warning(`two tokens are live, ${ages.join(" and ")} old`, rotate);
      const isOld = now - Date.parse(tokens[0]?.created ?? "") > OLDEST_TOKEN;
      return isOld ? warning(`the token is ${some(ages)} old`, rotate) : ok(`one token, ${some(ages)} old`);
    }),
  },
} satisfies Checks;
