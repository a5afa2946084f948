import { OutriggerError } from "@outrigger/base";
import type { InjectResult } from "@outrigger/injector";
import { describe, expect, it } from "vitest";
import { reviewOf } from "../../../test/support/gateway-event.ts";
import { admit } from "./admit.ts";

const POD = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web" }] } };

function injectedWith(patchText: string): InjectResult {
  return {
    injected: true,
    author: POD,
    pod: POD,
    patch: [{ op: "remove", path: "/a" }],
    patchText,
    templates: [],
    warnings: [],
    reason: "policy-enabled",
  };
}

function answer(patchText: string) {
  const service = { inject: () => injectedWith(patchText), release: "r1" };
  const body = JSON.stringify(reviewOf({ object: POD, namespace: "shop" }));
  const headers = { "content-type": "application/json" };
  return admit({ method: "POST", path: "/inject", query: {}, headers, body }, { find: () => service, now: () => 0 });
}

describe("admit()", () => {
  it("denies a pod whose answer Lambda would not take: a failed call could let it in without its sidecar", async () => {
    const { status, body, log } = await answer(" ".repeat(4_500_000));
    const { allowed, status: denial } = JSON.parse(body).response;
    expect({ status, allowed, code: denial.code }).toEqual({ status: 200, allowed: false, code: 422 });
    expect(denial.message).toContain("and may take 6000000");
    expect(log).toMatchObject({ decision: "denied", reason: "pod-invalid" });
  });

  it.each([
    ["/inject/net/a%20b", 'parameter net: its value "a b" becomes a label'],
    [`/inject/net/${"x".repeat(64)}`, "parameter net"],
    ["/inject/cluster/c/a%3Db/c", 'parameter "A=B": it becomes a variable'],
  ])("denies pods for a URL whose parameter makes them invalid, and names it: %s", async (path, named) => {
    const inject = (): InjectResult => {
      throw new OutriggerError("overlay-invalid", "Cannot inject: an API server would reject the injected pod");
    };
    const body = JSON.stringify(reviewOf({ object: POD, namespace: "shop" }));
    const headers = { "content-type": "application/json" };
    const find = () => ({ inject, release: "r1" });
    const send = (url: string) =>
      admit({ method: "POST", path: url, query: {}, headers, body }, { find, now: () => 0 });
    const { status, body: answered, log } = await send(path);
    const { allowed, status: denial } = JSON.parse(answered).response;
    expect({ status, allowed, code: denial.code }).toEqual({ status: 200, allowed: false, code: 400 });
    expect(denial.message).toContain(named);
    expect(log).toMatchObject({ decision: "denied", reason: "url-invalid" });
    expect((await send("/inject/cluster/c/net/n")).status).toBe(500);
  });

  it("records how long the answer took", async () => {
    const ticks = [100, 130];
    const find = () => ({ inject: () => injectedWith("[]"), release: "r1" });
    const body = JSON.stringify(reviewOf({ object: POD, namespace: "shop" }));
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", path: "/inject", query: {}, headers, body };
    const { log } = await admit(request, { find, now: () => ticks.shift() ?? Number.NaN });
    expect(log).toMatchObject({ decision: "injected", milliseconds: 30 });
  });

  it("answers with as large a patch as Lambda takes", async () => {
    const { body } = await answer(" ".repeat(4_490_000));
    expect(JSON.parse(body).response.allowed).toBe(true);
    expect(Buffer.byteLength(JSON.stringify({ statusCode: 200, body }))).toBeLessThan(6_291_556);
  });
});
