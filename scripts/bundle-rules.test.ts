import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { buildFunction, inputsOf, measureFunction } from "./build-bundles.mjs";
import { BUNDLE_RULES, checkBundle } from "./bundle-rules.mjs";

describe("checkBundle()", () => {
  const budget = BUNDLE_RULES.inject.bytes;

  it("finds nothing when a bundle is within its budget", () => {
    expect(checkBundle("inject", { bytes: budget, inputs: ["functions/inject/index.ts", "lib/json.ts"] })).toEqual([]);
  });

  it("names budget and size when a bundle is a byte over", () => {
    expect(checkBundle("inject", { bytes: budget + 1, inputs: [] })).toEqual([
      `functions/inject: ${budget + 1} bytes are more than its budget of ${budget}`,
    ]);
  });

  it.each(["node_modules/handlebars/lib/index.js", "cli/main.ts", "node_modules/commander/index.js"])(
    "names %s when it went into the bundle",
    (input) => {
      expect(checkBundle("inject", { bytes: 1, inputs: ["lib/json.ts", input] })).toEqual([
        `functions/inject: ${input} does not belong in it`,
      ]);
    },
  );
});

describe("the bundle of functions/inject", () => {
  let directory = "";
  let inputs: readonly string[] = [];
  let bytes = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "outrigger-bundle-"));
    const [report] = await buildFunction("inject", { outfile: join(directory, "index.cjs") });
    bytes = report?.bytes ?? 0;
    inputs = inputsOf(JSON.parse(readFileSync(join(directory, "metafile.json"), "utf8")));
  }, 60_000);

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("keeps the rules", () => {
    expect(inputs.length).toBeGreaterThan(10);
    expect(checkBundle("inject", { bytes, inputs })).toEqual([]);
  });

  it("writes one file of code, beside its metafile", () => {
    expect(readdirSync(directory).sort()).toEqual(["index.cjs", "metafile.json"]);
  });
});

describe("the bundle of functions/inject with the Parameter Store client", () => {
  const requests: { readonly target: unknown; readonly authorization: unknown; readonly body: unknown }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { "x-amz-target": target, authorization } = request.headers;
      const body = JSON.parse(text);
      requests.push({ target, authorization, body });
      const [status, answer] = answerOf(body);
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(answer));
    });
  });
  let directory = "";
  let bundle: Awaited<ReturnType<typeof measureFunction>>;
  let client: {
    readParameters: (names: readonly string[]) => Promise<unknown>;
    readPage: (path: string, token?: string) => Promise<unknown>;
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    vi.stubEnv("AWS_ENDPOINT_URL_SSM", `http://127.0.0.1:${port}`);
    vi.stubEnv("AWS_REGION", "eu-central-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    vi.stubEnv("AWS_SESSION_TOKEN", "session");
    directory = await mkdtemp(join(tmpdir(), "outrigger-bundle-"));
    bundle = await measureFunction(BUNDLE_RULES.inject.complete);
    const file = join(directory, "index.cjs");
    writeFileSync(file, bundle.code);
    client = createRequire(import.meta.url)(file);
  }, 60_000);

  afterAll(async () => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true, force: true });
  });

  it("keeps the rules", () => {
    expect(bundle.inputs.some((input) => input.includes("@aws-sdk/client-ssm"))).toBe(true);
    expect(checkBundle("inject", bundle)).toEqual([]);
  });

  it("reads parameters, signed with the credentials of its environment", async () => {
    await expect(client.readParameters(["/a", "/b"])).resolves.toEqual([["/a", "1"]]);
    expect(requests.at(-1)).toMatchObject({
      target: "AmazonSSM.GetParameters",
      authorization: expect.stringContaining("Credential=AKIDEXAMPLE/"),
      body: { Names: ["/a", "/b"] },
    });
  });

  it("reads a page, and names the token of the next", async () => {
    await expect(client.readPage("/p", "t1")).resolves.toEqual({ values: [["/p/x", "2"]], next: "t2" });
    expect(requests.at(-1)).toMatchObject({ target: "AmazonSSM.GetParametersByPath", body: { NextToken: "t1" } });
  });

  it("names the error that the service names", async () => {
    await expect(client.readPage("/denied")).rejects.toMatchObject({ name: "InvalidKeyId", message: "no such key" });
  });
});

function answerOf({ Path: path }: { readonly Path?: string }): readonly [status: number, answer: unknown] {
  if (path === undefined) return [200, { Parameters: [{ Name: "/a", Value: "1" }], InvalidParameters: ["/b"] }];
  if (path === "/denied") return [400, { __type: "InvalidKeyId", message: "no such key" }];
  return [200, { Parameters: [{ Name: `${path}/x`, Value: "2" }], NextToken: "t2" }];
}
