// The safety net on a real API server, against the webhook: pods of every shape, with the webhook up and down, under edits of the policy,
// the selectors and the namespace's labels. After an edit nothing is run but what its own warning says.
// More: OUTRIGGER_NET_EDITS=200 tries all 6,144 shapes, divided among the edits. OUTRIGGER_NET_SEED names other edits.
import { defined, type JsonObject, metadataKeys, objectOf, objectsOf, ownError } from "@outrigger/base";
import { isInjected } from "@outrigger/webhook";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pick, type Random, randomOf, some } from "../support/random.ts";
import { openRealLab, type RealLab } from "./support/real-lab.ts";

const EDITS = Number(process.env["OUTRIGGER_NET_EDITS"] ?? 4);
const SEED = Number(process.env["OUTRIGGER_NET_SEED"] ?? 1);
/** Fewer than all shapes are tried for an edit, so that the default run is short. */
const PODS_AN_EDIT = Math.max(24, Math.ceil((6144 / 200) * Math.min(1, EDITS / 200)));

const POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const MARK = "example.com/seen";
const { inject: INJECT, status: STATUS } = metadataKeys;
const WISHES = [undefined, "", "true", "false"];
const KINDS = [undefined, "batch", "web", ""];
const TIERS = [undefined, "old", "new", "batch"];
const PLACES: readonly JsonObject[] = [{}, { hostNetwork: true }, { os: { name: "windows" } }];
const APP = { name: "app", image: "app:1" };
const SHAPES: readonly { readonly annotations?: Readonly<Record<string, string>>; readonly spec: JsonObject }[] = [
  { spec: { containers: [APP] } },
  { spec: { containers: [APP, { name: "istio-proxy", image: "mine:1" }] } },
  { spec: { containers: [APP], initContainers: [{ name: "first", image: "first:1" }] } },
  { spec: { containers: [APP], nodeSelector: { "kubernetes.io/os": "linux" } } },
  { annotations: { "inject.istio.io/templates": "grpc-agent" }, spec: { containers: [APP] } },
  { annotations: { "inject.istio.io/templates": "grpc-simple" }, spec: { containers: [APP] } },
  { annotations: { "sidecar.istio.io/proxyCPU": "100m" }, spec: { containers: [APP] } },
  // A record that was copied from another pod.
  { annotations: { [STATUS]: '{"containers":["istio-proxy"]}' }, spec: { containers: [APP] } },
];

/** Every pod, by its number: 4 × 4 × 4 × 4 × 3 × 8 of them. */
function podOf(number: number): JsonObject {
  let rest = number;
  const next = <T>(choices: readonly T[]): T => {
    const chosen = choices[rest % choices.length] as T;
    rest = Math.floor(rest / choices.length);
    return chosen;
  };
  const [label, annotation, kind, tier, place, shape] = [
    next(WISHES),
    next(WISHES),
    next(KINDS),
    next(TIERS),
    next(PLACES),
    next(SHAPES),
  ];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `p${number}`,
      labels: defined({ [INJECT]: label, kind, tier }),
      annotations: { ...shape.annotations, ...defined({ [INJECT]: annotation }) },
    },
    spec: { ...shape.spec, ...place },
  } as unknown as JsonObject;
}

/** The text of a selector. Parameter Store takes no two braces in a row. */
function selectorOf(random: Random): string {
  const key = pick(random, ["kind", "tier"]);
  const value = pick(random, ["batch", "web", "old", "new"]);
  return pick(random, [
    `{matchLabels: {${key}: ${value}} }`,
    `{matchExpressions: [{key: ${key}, operator: ${pick(random, ["Exists", "DoesNotExist"])}}]}`,
    `{matchExpressions: [{key: ${key}, operator: ${pick(random, ["In", "NotIn"])}, values: [${value}, batch]}]}`,
    `{matchLabels: {kind: ${value}}, matchExpressions: [{key: tier, operator: Exists}]}`,
  ]);
}

const ACCEPT = /run "outrigger (publish --accept [^"]+)"/;
const TOLD = /run "outrigger (register --cluster shop)"/;

describe("the safety net, on a real API server", () => {
  let lab: RealLab;
  beforeAll(async () => {
    lab = await openRealLab();
    await lab.onlyAllow(["register", "check", "registration"]);
    expect((await lab.run("publish")).code).toBe(0);
    await lab.namespace("shop", { "istio-injection": "enabled" });
    const registered = await lab.register("--phase", "cluster", "--safety-net", "deny");
    expect(registered, registered.err).toMatchObject({ code: 0 });
    await lab.until("the namespace has its service account", async () => {
      const path = "/api/v1/namespaces/shop/serviceaccounts/default";
      return (await lab.api.admin.get(path)) !== undefined;
    });
  });
  afterAll(() => lab?.close());

  /** The answer of the API server to a pod, as a dry run: injected, admitted as it is, or the net's no. */
  const answerTo = async (pod: JsonObject, namespace = "shop"): Promise<"injected" | "admitted" | "caught"> => {
    try {
      const made = await lab.api.admin.createDryRun(`/api/v1/namespaces/${namespace}/pods`, pod);
      return isInjected(made as never) ? "injected" : "admitted";
    } catch (error) {
      if (ownError(error).message.includes("the pod was not injected")) return "caught";
      throw error;
    }
  };

  /** Why the two are apart: a pod is caught where the webhook would have injected it, and nowhere else. */
  const apartOver = async (pods: readonly JsonObject[]) => {
    lab.webhook.isDown = false;
    const up = await inTurn(pods, (pod) => answerTo(pod));
    lab.webhook.isDown = true;
    const down = await inTurn(pods, (pod) => answerTo(pod));
    lab.webhook.isDown = false;
    const apart = pods.filter((_, index) => {
      const [one, other] = [up[index], down[index]];
      return one === "caught" || (other === "caught") !== (one === "injected");
    });
    return { apart, caught: down.filter((one) => one === "caught").length };
  };

  it(`decides as the webhook does under ${EDITS} edits, each followed by what its warning says`, async () => {
    const random = randomOf(SEED);
    const order = Array.from({ length: 6144 }, (_, number) => ({ number, at: random() }));
    order.sort((one, other) => one.at - other.at);
    const all = order.map(({ number }) => podOf(number));
    let [tried, caught, told] = [0, 0, 0];
    for (let edit = 0; edit < EDITS; edit++) {
      if (random() < 0.2) {
        const labels = pick(random, [{ "istio-injection": "enabled" }, { "istio-injection": "disabled" }, {}]);
        await lab.namespace("shop", labels);
      } else {
        const lines = [`policy: ${pick(random, ["enabled", "enabled", "disabled"])}`];
        for (const list of some(random, ["neverInjectSelector", "alwaysInjectSelector"], 0.6))
          lines.push(`${list}:`, ...Array.from({ length: pick(random, [1, 2]) }, () => `- ${selectorOf(random)}`));
        await lab.aws.edit("config", `${lines.join("\n")}\n`);
        const asked = await lab.run("publish");
        // What takes a sidecar away waits for a person, and the refusal has the command.
        const [, accept] = ACCEPT.exec(asked.err) ?? [];
        const published = accept === undefined ? asked : await lab.run(...accept.split(" "));
        expect(published, `${published.err}${lines.join("\n")}`).toMatchObject({ code: 0 });
        const [, command] = TOLD.exec(published.err) ?? [];
        if (command !== undefined) {
          told++;
          const done = await lab.run(...command.split(" "));
          expect(done, done.err).toMatchObject({ code: 0 });
        }
      }
      const from = (edit * PODS_AN_EDIT) % all.length;
      const pods = [...all, ...all].slice(from, from + PODS_AN_EDIT);
      let found = await apartOver(pods);
      tried += pods.length;
      // An API server compiles a policy that was changed, and lists namespaces anew, some moments later.
      const end = Date.now() + 120_000;
      while (found.apart.length > 0 && Date.now() < end) found = { ...found, ...(await apartOver(found.apart)) };
      expect(found.apart, `edit ${edit} of seed ${SEED}`).toEqual([]);
      caught += found.caught;
    }
    console.log(`${tried} pods and ${EDITS} edits through webhook and net, ${told} with a warning: 0 apart`);
    expect(tried).toBe(EDITS * PODS_AN_EDIT);
    expect(told).toBeGreaterThan(0);
    if (EDITS >= 4) expect(caught).toBeGreaterThan(0);
  });

  it("rejects no pod without the webhook that the release does not inject, as a net would that asks for a mark of the webhook", async () => {
    await lab.aws.edit("config", "neverInjectSelector:\n- {matchLabels: {kind: batch} }\n");
    const asked = await lab.run("publish");
    const [, accept] = ACCEPT.exec(asked.err) ?? [];
    if (accept !== undefined) await lab.run(...accept.split(" "));
    await lab.namespace("shop", { "istio-injection": "enabled" });
    expect((await lab.run("register", "--cluster", "shop")).code).toBe(0);
    // The net as it is, but for whom it asks: the mark that a webhook would leave on what it does not inject.
    const there = await lab.api.admin.get(`${POLICIES}/outrigger-sidecar-injector`);
    const { matchConditions, validations, ...kept } = objectOf(there?.["spec"]);
    const [{ expression }] = objectsOf(validations) as [JsonObject];
    const conditions = objectsOf(matchConditions).filter(({ name }) => name !== "injected-by-the-release");
    const isMarked = `has(object.metadata.annotations) && "${MARK}" in object.metadata.annotations`;
    const apiVersion = "admissionregistration.k8s.io/v1";
    const message = "the pod was not injected: it has no mark";
    await lab.apply({
      ...{ apiVersion, kind: "ValidatingAdmissionPolicy", metadata: { name: "marks" } },
      spec: {
        ...{ ...kept, matchConditions: conditions },
        validations: [{ expression: `(${String(expression)}) || (${isMarked})`, message }],
      },
    } as unknown as JsonObject);
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "marked" } };
    await lab.apply({
      ...{ apiVersion, kind: "ValidatingAdmissionPolicyBinding", metadata: { name: "marks" } },
      spec: { policyName: "marks", validationActions: ["Deny"], matchResources: { namespaceSelector } },
    });
    await lab.namespace("marked");
    const account = "/api/v1/namespaces/marked/serviceaccounts/default";
    await lab.until("there is a service account", async () => (await lab.api.admin.get(account)) !== undefined);
    const podWith = (metadata: JsonObject) => ({
      ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", ...metadata } },
      spec: { containers: [APP] },
    });
    const [batch, web, copied] = [
      podWith({ labels: { kind: "batch" } }),
      podWith({}),
      podWith({ annotations: { [MARK]: "never-selector" } }),
    ];
    lab.webhook.isDown = true;
    await lab.until("both nets are in force", async () => {
      const [own, other] = [await answerTo(web), await answerTo(web, "marked")];
      return own === "caught" && other === "caught";
    });
    expect([await answerTo(batch), await answerTo(batch, "marked")]).toEqual(["admitted", "caught"]);
    // And what is copied from another pod passes.
    expect([await answerTo(copied), await answerTo(copied, "marked")]).toEqual(["caught", "admitted"]);
    lab.webhook.isDown = false;
  });
});

const AT_ONCE = 8;

async function inTurn<T, R>(all: readonly T[], ask: (one: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = [];
  const next = all.entries();
  const work = async () => {
    for (const [index, one] of next) answers[index] = await ask(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}
