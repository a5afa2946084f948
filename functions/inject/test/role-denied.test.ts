// A cold container whose role may not read one of the two stores, or neither of them: the published release, or a failure in time, and
// nothing else. Time is the test's own.
import { readRelease } from "outrigger:bundled-release";
import { type Fault, fakeObjectStore, fakeParameterStore, type ObjectFault } from "@outrigger/fake-aws";
import { serveStore } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { eventOf } from "../../../test/support/gateway-event.ts";
import { clusterOf, PREFIX, snapshotOf, writeSnapshot } from "../../../test/support/stored-snapshot.ts";
import { tokenOf } from "../../../test/support/tokens.ts";
import { virtualClock } from "../../../test/support/virtual-clock.ts";
import { handlerOf } from "../api-gateway.ts";

const SNAPSHOT = snapshotOf({
  clusters: { east: clusterOf([tokenOf("east-")]) },
  releases: { "0123456789ab": readRelease() },
});

interface Denied {
  readonly parameters?: boolean;
  readonly bucket?: boolean;
  /** Whether the snapshot is too large for the mirror. */
  readonly isLarge?: boolean;
}

/** Calls a container that has just been started, with both tokens. */
async function callsOf({ parameters = false, bucket = false, isLarge = false }: Denied) {
  const clock = virtualClock();
  const denied: { parameters?: Fault; bucket?: ObjectFault } = {};
  const objects = fakeObjectStore({ now: clock.now, fault: () => denied.bucket });
  const store = fakeParameterStore({ now: clock.now, objects, fault: () => denied.parameters });
  await writeSnapshot(store, SNAPSHOT, { tier: "Advanced", isLarge });
  if (parameters) denied.parameters = { kind: "error", name: "AccessDeniedException", status: 400 };
  if (bucket) denied.bucket = { kind: "error", name: "AccessDenied", status: 403 };
  const reported: string[] = [];
  const { find, live } = serveStore({
    prefix: PREFIX,
    ttl: 10_000,
    bundled: undefined,
    reader: store,
    clock,
    random: () => 0.5,
    report: ({ code }) => void reported.push(code),
  });
  live.start();
  const lines: string[] = [];
  const handler = handlerOf({ find, now: clock.now }, (line) => void lines.push(line));
  const call = async (word: string) => {
    const path = `/t/${tokenOf(word)}/inject`;
    const started = clock.now();
    const { statusCode, body } = await clock.settle(
      handler(eventOf({ object: { spec: { containers: [{ name: "a", image: "a" }] } }, namespace: "shop", path })),
    );
    const { release, served } = JSON.parse(lines.at(-1) ?? "{}");
    return { statusCode, body, release, served, milliseconds: clock.now() - started };
  };
  return { known: await call("east-"), unknown: await call("west-"), reported };
}

describe("a cold container whose role is denied", () => {
  it.each<[string, Denied, readonly string[]]>([
    ["Parameter Store", { parameters: true }, ["store-denied"]],
    ["Parameter Store, with a snapshot in the bucket alone", { parameters: true, isLarge: true }, ["store-denied"]],
    ["the bucket", { bucket: true }, []],
    ["nothing", {}, []],
  ])("%s serves the published release, and refuses a token that is not known", async (_what, denied, codes) => {
    const { known, unknown, reported } = await callsOf(denied);
    expect(known).toMatchObject({ statusCode: 200, release: "0123456789ab", served: "current" });
    expect(unknown.statusCode).toBe(404);
    expect(reported).toEqual(codes);
  });

  it.each<[string, Denied]>([
    ["both stores", { parameters: true, bucket: true }],
    ["the bucket, with a snapshot in it alone", { bucket: true, isLarge: true }],
  ])("%s fails in time, whatever the token, and serves no release of the artifact", async (_what, denied) => {
    const { known, unknown, reported } = await callsOf(denied);
    for (const { statusCode, body, release, milliseconds } of [known, unknown]) {
      expect(statusCode).toBe(500);
      expect(body).toMatch(/^Cannot read .*check the credentials and their permissions/);
      expect(release ?? "").toBe("");
      expect(milliseconds).toBeLessThan(10_000);
    }
    expect(reported).toEqual(["store-denied"]);
  });
});
