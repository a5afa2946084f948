// A deployment for tests of the command line: Parameter Store in memory, and the publisher in this process.

import { type Layout, layoutOf } from "@outrigger/aws";
import { defined, OutriggerError } from "@outrigger/base";
import type { ConnectAws } from "@outrigger/cli";
import { fakeParameterStore } from "@outrigger/fake-aws";
import { parseGuardrails } from "@outrigger/guardrails";
import type { SourceTree } from "@outrigger/injector";
import type { AlarmStates, Hold, PublisherDependencies, PublisherRequest } from "@outrigger/publisher";
import { parsePublisherRequest, reconcileRollouts, runPublisher } from "@outrigger/publisher";

/** The tree beneath every tree here. It is small, because most tests compile it several times. */
export const SHIPPED: SourceTree = {
  config: "defaultTemplates: [sidecar]\n",
  "templates/sidecar": "spec:\n  containers:\n  - name: istio-proxy\n    {{> proxy-image}}\n",
  "partials/proxy-image": "image: {{values.global.hub}}/proxyv2\n",
  "values/00-default": "global:\n  hub: registry.example/shipped\n",
  "samples/plain-pod": "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: web}]}\n",
};

export const CALLER = "arn:aws:iam::111122223333:user/ann";

/**
 * @param shipped what the deployed publisher has beneath every tree
 * @param compile what it compiles with; left out, as it is deployed
 */
export function fakeAws(
  options: Parameters<typeof fakeParameterStore>[0] = {},
  shipped = SHIPPED,
  place = "111122223333/eu-west-1/",
  compile?: PublisherDependencies["compile"],
) {
  const store = fakeParameterStore(options);
  const asked: PublisherRequest[] = [];
  let slept = 0;
  const alarms = new Map<string, NonNullable<AlarmStates[string]>>([["outrigger-dev-errors", "OK"]]);
  const deployed = ["/outrigger/dev"];
  let caller = CALLER;
  let guardrails: string | OutriggerError = "";
  let hold: Hold = "powers";
  let environment = "";
  const dependencies = (layout: Layout): PublisherDependencies => ({
    store,
    layout,
    bucket: "releases",
    tier: "Standard",
    shipped,
    now: () => new Date(Date.now() + slept),
    hold,
    environment,
    guardrails: parseGuardrails(typeof guardrails === "string" ? guardrails : ""),
    // Nothing here takes time: who waits for a reading to settle waits on the publisher's own clock.
    sleep: async (milliseconds) => {
      slept += milliseconds;
    },
    ...defined({ compile }),
    alarmStates: async (names) => Object.fromEntries(names.map((name) => [name, alarms.get(name)])),
  });
  let functionVersion: string | undefined;
  const connect: ConnectAws = async ({ layout }) => ({
    store,
    caller: async () => caller,
    guardrails: async () => {
      if (typeof guardrails === "string") return guardrails;
      throw guardrails;
    },
    hold: async () => hold,
    environment: async () => environment,
    functionVersion: async () => functionVersion,
    deployments: async () => deployed,
    place: async () => place,
    askPublisher: async (request) => {
      asked.push(request);
      const result = await runPublisher(
        parsePublisherRequest(JSON.parse(JSON.stringify(request))),
        dependencies(layout),
      );
      if (result.ok) return result;
      const { code, message, ...place } = result.error;
      throw new OutriggerError(code, message, place);
    },
  });
  const layout = layoutOf("/outrigger/dev");
  const put = (name: string, value: string) => store.putParameter({ name, value, overwrite: true, tier: "Standard" });
  return {
    store,
    connect,
    layout,
    asked,
    /** A look of the publish function's schedule. */
    look: () => reconcileRollouts(dependencies(layout)),
    /** Prefixes of deployments, whether something is published there or not. */
    deployed,
    /** Alarms that the publisher sees. */
    alarms,
    /** Signs another person in at the terminal. */
    signIn: (arn: string) => {
      caller = arn;
    },
    put,
    /** Deploys the setting, or takes the right to read it. */
    guard: (setting: string | OutriggerError) => {
      guardrails = setting;
    },
    /** Deploys the setting `hold`. */
    holdBack: (setting: Hold) => {
      hold = setting;
    },
    /** Deploys the functions of a version of Outrigger. */
    deployVersion: (version: string | undefined) => {
      functionVersion = version;
    },
    /** Deploys the setting `environment`. */
    setEnvironment: (setting: string) => {
      environment = setting;
    },
    /** An edit in the console. */
    edit: (path: string, text: string) => put(layout.sourceParameter(path), text),
    remove: (...paths: readonly string[]) => store.deleteParameters(paths.map(layout.sourceParameter)),
    /** The stored text of an entry. */
    stored: (path: string) => store.values()[layout.sourceParameter(path)],
  };
}
