// What an editor may try, from end to end: an event of an edit through the publish function, and a review through this one. None of it
// reaches what is served by itself, and no pod gets it where a person has published it.
import { compileRelease, type SourceTree, samplePods } from "@outrigger/injector";
import { expect, it } from "vitest";
import { AUTHOR, CASES, COMPARED, hidden, KEPT, label, plainly, SHIPPED } from "../../../test/support/attacks.ts";
import { eventOf } from "../../../test/support/gateway-event.ts";
import { layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { publishHandler } from "../../publish/handler.ts";
import { createHandler } from "../index.ts";

const GUARDRAILS = "baseline,secret:mesh-*,configMap:istio-*,csi:csi.spiffe.io";
const nowhere = async () => undefined as never;
const write = () => undefined;

const { dependencies, clock, edit, served } = publisherSetup({ shipped: SHIPPED });
// As the function has them: compiled, tried and compared by the product's own code.
const { compile: _, load: __, compare: ___, sleep = nowhere, ...own } = dependencies;
const publish = publishHandler({
  ...own,
  sleep,
  canaryToken: "/canary",
  makeToken: () => "",
  putSecret: nowhere,
  stackStatus: nowhere,
  shipped: SHIPPED,
  stage: "dev",
  version: "1.2.3",
  stackId: "stack",
  respond: nowhere,
  write,
});

/** Sends the event of an edit; returns the digest that is served afterwards. */
async function edited(tree: SourceTree): Promise<string | undefined> {
  clock.time += 20 * 60_000;
  // Parameter Store takes no double braces, and YAML does not need them.
  for (const [path, text] of Object.entries(tree)) await edit(path, text.replace(/([{}])(?=\1)/g, "$1 "));
  const name = layout.sourceParameter("templates/evil");
  await publish({ source: "aws.ssm", time: new Date(clock.time).toISOString(), detail: { name } });
  return (await served()).channels["stable"];
}

/** Whether the handler answers a pod that takes the branch with a patch. */
async function patched(text: string, author = AUTHOR): Promise<boolean> {
  const asking = author.replace("{team: shop}", '{team: shop, evil: "yes"}');
  const [sample] = samplePods([{ "samples/web": asking }]);
  const handler = createHandler({
    release: compileRelease([SHIPPED, hidden(text)]),
    guardrails: GUARDRAILS,
    write,
  });
  const { statusCode, body } = await handler(eventOf({ object: sample?.request.pod, namespace: "shop" }) as never);
  // A call that fails has a sentence for a body.
  return statusCode === 200 && typeof JSON.parse(body).response.patch === "string";
}

it("publishes an everyday edit, and injects it", async () => {
  const first = await edited(plainly("metadata: {labels: {own: b}}\n"));
  expect(await edited(plainly("metadata: {labels: {own: c}}\n"))).not.toBe(first);
  expect(await patched("metadata: {labels: {own: c}}\n")).toBe(true);
  expect(CASES.length).toBeGreaterThanOrEqual(145);
});

it("leaves a label to its author, and writes it into pods that have none", async () => {
  const text = label("team", "mesh");
  expect(await patched(text)).toBe(false);
  expect(await patched(text, AUTHOR.replace(", team: shop", ""))).toBe(true);
});

it.each(CASES)("keeps from pods what is $name: $text", async ({ text }) => {
  const before = await edited(plainly("# nothing\n"));
  expect(await edited(plainly(text))).toBe(before);
  if (COMPARED.test(text)) return;
  // A container keeps what it has: the pod is injected, and nothing of it is the edit's.
  expect(await patched(text)).toBe(KEPT.includes(text));
});
