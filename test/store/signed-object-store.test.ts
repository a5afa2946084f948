import { createServer } from "node:http";
import { signedObjectStore, signedParameterReader } from "@outrigger/aws";
import {
  type FakeObjectStore,
  type FakeServer,
  fakeObjectStore,
  type ObjectFault,
  startFakeServer,
} from "@outrigger/fake-aws";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordedRequest } from "../botocore/model.ts";
import { signatureOf } from "../botocore/verify-signature.ts";
import { bodyOf, closing, listening } from "../support/loopback.ts";

const PATIENCE = { attempts: 3, timeout: 5000, sleep: async () => {} };
const CREDENTIALS = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "secret", AWS_SESSION_TOKEN: "token" };
const keyOf = (name: string) => `outrigger/dev/objects/${name}`;

let server: FakeServer;
let bucket: FakeObjectStore;
let faults: (ObjectFault | undefined)[] = [];
beforeAll(async () => {
  bucket = fakeObjectStore({ fault: () => faults.shift() });
  server = await startFakeServer({ objects: bucket });
});
afterAll(() => server.close());

const env = () => ({ AWS_ENDPOINT_URL: server.url, AWS_REGION: "eu-west-1", ...CREDENTIALS });
const store = () => signedObjectStore({ env: env(), bucket: "releases", ...PATIENCE });

describe("signedObjectStore()", () => {
  it("writes, reads, lists page by page, and deletes", async () => {
    const objects = store();
    for (const name of ["a", "b", "c"]) await objects.putObject({ key: keyOf(name), text: `text of ${name}, é` });
    await objects.putObject({ key: "outrigger/prod/objects/a", text: "another's" });
    expect(await objects.getObject(keyOf("b"))).toMatchObject({ text: "text of b, é" });
    expect(await objects.getObject(keyOf("gone"))).toBeUndefined();
    const listed = await objects.listObjects(keyOf(""));
    expect(listed.map(({ key }) => key)).toEqual(["a", "b", "c"].map((name) => keyOf(name)));
    expect(listed.every(({ lastModified }) => Math.abs(lastModified - Date.now()) < 60_000)).toBe(true);
    await objects.deleteObject(keyOf("b"));
    await objects.deleteObject(keyOf("b"));
    expect(await objects.getObject(keyOf("b"))).toBeUndefined();
  });

  it("writes only over what it was told, or over nothing", async () => {
    const objects = store();
    const write = { key: keyOf("head"), text: "1" };
    expect(await objects.putObject({ ...write, replaces: null })).toBe(true);
    expect(await objects.putObject({ ...write, replaces: null })).toBe(false);
    const { tag = "" } = (await objects.getObject(write.key)) ?? {};
    expect(await objects.putObject({ ...write, text: "2", replaces: tag })).toBe(true);
    expect(await objects.putObject({ ...write, text: "3", replaces: tag })).toBe(false);
    const second = await objects.getObject(write.key);
    expect(second).toMatchObject({ text: "2" });
    // S3 answers as it does to the reading of an object that is gone, and not that a condition failed.
    await objects.deleteObject(write.key);
    expect(await objects.putObject({ ...write, text: "4", replaces: second?.tag ?? "" })).toBe(false);
    expect(await objects.getObject(write.key)).toBeUndefined();
  });

  it("empties a folder and nothing beside it, whatever versions there are", async () => {
    const objects = store();
    for (const name of ["empty/a", "empty/b", "emptyish"]) await objects.putObject({ key: keyOf(name), text: "text" });
    await objects.emptyFolder(keyOf("empty/"));
    const left = await objects.listObjects(keyOf("empty"));
    expect(left.map(({ key }) => key)).toEqual([keyOf("emptyish")]);
  });

  it("finds nothing, and writes nothing, where no bucket is named yet", async () => {
    const nowhere = signedObjectStore({ env: env(), bucket: async () => undefined, ...PATIENCE });
    expect(await nowhere.getObject(keyOf("a"))).toBeUndefined();
    expect(await nowhere.listObjects(keyOf(""))).toEqual([]);
    expect(await nowhere.putObject({ key: keyOf("a"), text: "text" })).toBe(false);
  });

  it("tries again what S3 did not answer or answered with its own fault, and nothing else", async () => {
    faults = [{ kind: "error", name: "SlowDown", status: 503 }, { kind: "lost" }];
    await store().putObject({ key: keyOf("slow"), text: "text" });
    expect(await store().getObject(keyOf("slow"))).toMatchObject({ text: "text" });
    faults = Array.from({ length: 3 }, () => ({ kind: "error", name: "InternalError", status: 500 }) as const);
    await expect(store().getObject(keyOf("slow"))).rejects.toMatchObject({
      code: "store-unavailable",
      message: expect.stringContaining("Cannot read s3://releases/outrigger/dev/objects/slow: InternalError"),
    });
    faults = [{ kind: "error", name: "AccessDenied", status: 403 }];
    await expect(store().listObjects(keyOf(""))).rejects.toMatchObject({ code: "store-denied" });
    expect(faults).toEqual([]);
  });

  it("knows an object that does not exist from one that may not be read by listing its name", async () => {
    const denied = { kind: "error", name: "AccessDenied", status: 403 } as const;
    faults = [denied];
    expect(await store().getObject(keyOf("gone"))).toBeUndefined();
    faults = [denied];
    await expect(store().getObject(keyOf("a"))).rejects.toMatchObject({ code: "store-denied" });
    faults = [denied, denied];
    await expect(store().getObject(keyOf("gone"))).rejects.toMatchObject({ code: "store-denied" });
  });

  it("says that a bucket of another Region is one", async () => {
    faults = [{ kind: "error", name: "PermanentRedirect", status: 301 }];
    await expect(store().putObject({ key: keyOf("a"), text: "text" })).rejects.toMatchObject({
      code: "parameter-refused",
      message: expect.stringContaining("the bucket is in another Region than the deployment"),
    });
  });

  it.each([
    [503, 3, "store-unavailable", "status 503"],
    [418, 1, "parameter-refused", "status 418"],
    [301, 1, "parameter-refused", "in another Region"],
  ])("goes by the status %i where S3 did not write the answer", async (status, tries, code, message) => {
    let calls = 0;
    const exchange = async () => {
      calls += 1;
      return { status, body: "<html>a proxy's page</html>", tag: "" };
    };
    const written = signedObjectStore({ env: env(), bucket: "releases", ...PATIENCE, exchange }).putObject({
      key: keyOf("a"),
      text: "text",
    });
    await expect(written).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(calls).toBe(tries);
  });

  it("signs what it sends, path, query and body", async () => {
    const seen: RecordedRequest[] = [];
    const recorder = createServer(async (request, response) => {
      const raw = request.rawHeaders;
      const headers = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
      const body = await bodyOf(request);
      seen.push({ method: request.method ?? "", url: request.url ?? "", headers, body });
      response.end("<ListBucketResult></ListBucketResult>");
    });
    const url = `http://127.0.0.1:${await listening(recorder)}`;
    const objects = signedObjectStore({ env: { ...env(), AWS_ENDPOINT_URL: url }, bucket: "releases", ...PATIENCE });
    await objects.putObject({ key: keyOf("a"), text: "text é" });
    await objects.listObjects(keyOf(""));
    await objects.deleteObject("odd name/(1)/é");
    await closing(recorder);
    expect(seen.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      "PUT /releases/outrigger/dev/objects/a",
      "GET /releases/?list-type=2&prefix=outrigger%2Fdev%2Fobjects%2F",
      "DELETE /releases/odd%20name/%281%29/%C3%A9",
    ]);
    // The judge escapes paths twice, as every service but S3 does: these need no escaping.
    for (const request of seen.slice(0, 2)) {
      const sent = request.headers.find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "";
      expect(sent).toContain(
        "/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
      );
      expect(sent).toBe(signatureOf(request, sent, "AKIDEXAMPLE", "secret").header);
    }
  });
});

describe("signedParameterReader()", () => {
  it("reads objects with the same connection and signature, once", async () => {
    await store().putObject({ key: keyOf("x"), text: "text" });
    const { objects } = signedParameterReader(env(), "releases");
    expect(await objects.getObject(keyOf("x"))).toMatchObject({ text: "text" });
    expect(await objects.getObject(keyOf("gone"))).toBeUndefined();
    faults = [{ kind: "error", name: "SlowDown", status: 503 }];
    await expect(objects.getObject(keyOf("x"))).rejects.toMatchObject({ code: "store-unavailable" });
  });
});
