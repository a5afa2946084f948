// The bundle that is deployed, on the Node that it is deployed on, in a process of its own.
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import fastJsonPatch from "fast-json-patch";
import { describe, expect, inject, it } from "vitest";
import { eventOf } from "../support/gateway-event.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { generateName: "hello-6d4cf56db6-", labels: { app: "hello" } },
  spec: { containers: [{ name: "hello", image: "registry.example/hello:1" }] },
};

describe("functions/inject, bundled", () => {
  it("injects a pod when it is called as Lambda calls it", async () => {
    const { result, log } = await invoke(eventOf({ object: pod, namespace: "shop" }));

    expect(result.statusCode).toBe(200);
    const { response } = JSON.parse(result.body);
    expect(response).toMatchObject({
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      allowed: true,
      patchType: "JSONPatch",
    });
    const patch = JSON.parse(Buffer.from(response.patch, "base64").toString("utf8"));
    const injected = fastJsonPatch.applyPatch(structuredClone(pod), patch, true).newDocument;
    expect(namesOf(injected.spec)).toEqual(expect.arrayContaining(["istio-proxy", "istio-init", "hello"]));
    expect(JSON.parse(log)).toMatchObject({ decision: "injected", status: 200 });
  });

  it("answers 400 when the body is no review", async () => {
    const event = { ...eventOf({ object: pod, namespace: "shop" }), body: "{}" };

    expect((await invoke(event)).result.statusCode).toBe(400);
  });

  it("has V8 accept the compiled code of Node's modules with Lambda's flags, before it loads any", async () => {
    const [usual, lambda] = await Promise.all([tryLoading([]), tryLoading(["--expose-gc"])]);

    expect(lambda.tag).toBe(usual.tag);
    expect(lambda.loaded).toEqual(["v8", "tls"]);
    expect(usual.loaded).toEqual(["tls"]);
  });
});

interface PodNames {
  readonly containers: readonly { readonly name: string }[];
  readonly initContainers?: readonly { readonly name: string }[];
}

function namesOf({ containers, initContainers = [] }: PodNames): readonly string[] {
  return [...initContainers, ...containers].map(({ name }) => name);
}

const CALL = `
const { handler } = require(process.argv[1]);
handler(JSON.parse(process.argv[2]), {}).then((result) => console.log(JSON.stringify(result)));
`;

/**
 * A script that prints what V8 compares before it accepts compiled code, once the bundle is loaded, and which of two
 * modules that loaded, in order.
 */
const LOAD = `
const before = process.moduleLoadList.length;
require(process.argv[1]);
const loaded = process.moduleLoadList.slice(before).map((name) => name.split(" ")[1]);
const tag = require("node:v8").cachedDataVersionTag();
console.log(JSON.stringify({ loaded: loaded.filter((name) => name === "v8" || name === "tls"), tag }));
`;

async function tryLoading(flags: readonly string[]) {
  const args = [...flags, "-e", LOAD, resolve("dist/functions/inject/index.cjs")];
  const { stdout } = await promisify(execFile)(inject("deployedNode"), args);
  return JSON.parse(stdout) as { readonly loaded: readonly string[]; readonly tag: number };
}

/** Standard output holds the function's log, then what it returned. */
async function invoke(event: unknown) {
  const args = ["-e", CALL, resolve("dist/functions/inject/index.cjs"), JSON.stringify(event)];
  const { stdout } = await promisify(execFile)(inject("deployedNode"), args);
  const [log = "", result = ""] = stdout.trim().split("\n");
  return { log, result: JSON.parse(result) as { readonly statusCode: number; readonly body: string } };
}
