import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeAws, SHIPPED } from "../../../test/cli/fake-aws.ts";
import { fakeCli } from "../../../test/cli/fake-cli.ts";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { openDeployment } from "../../connect/deployment.ts";
import { main } from "../../main.ts";
import type { Studio } from "../../studio/studio-server.ts";
import { openStudio } from "./studio.ts";

describe("outrigger studio", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  const opened: Studio[] = [];
  beforeEach(async () => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    cli.write("page/index.html", "the page");
    cli.write("tree/mesh.yaml", "enableTracing: true\n");
    await cli.run("publish");
  });
  afterEach(async () => {
    for (const studio of opened.splice(0)) await studio.close();
    cli.remove(".");
  });
  const io = () =>
    fakeIo({
      cwd: cli.cwd,
      connect: aws.connect,
      studio: `${cli.cwd}/page`,
      templates: `${cli.cwd}/shipped`,
      env: { XDG_STATE_HOME: `${cli.cwd}/state` },
    });
  /** Reads what the page reads. */
  async function read(url: string, path: string) {
    const answer = await fetch(url, { redirect: "manual" });
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    return (await fetch(new URL(path, url), { headers: { cookie } })).json() as Promise<Record<string, unknown>>;
  }
  const open = async (...given: readonly [object, ...(readonly unknown[])]) => {
    const [options, deployment] = given;
    const studio = await openStudio({ port: 0, ...options } as never, io(), deployment as never);
    opened.push(studio);
    return read(studio.url, "/api/workspace");
  };

  it("says where it is, and ends with the command", async () => {
    const process = io();
    const ended = main(["studio", "--dir", "tree", "--port", "0"], process);
    const url = await vi.waitFor(() => {
      const [found] = /http:\S+/.exec(process.out()) ?? [];
      if (found === undefined) throw new Error(process.err());
      return found;
    }, 60_000);
    expect(await (await fetch(url, { redirect: "manual" })).status).toBe(303);
    process.stop();
    expect([await ended, process.out()]).toEqual([0, `The studio is ready on ${url}\nStopped\n`]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it("edits a directory, or shows the shipped templates alone", async () => {
    expect(await open({ dir: "tree" })).toMatchObject({
      name: `${cli.cwd}/tree`,
      kind: "directory",
      canSave: true,
      saved: { mesh: "enableTracing: true\n" },
      shipped: SHIPPED,
      cluster: null,
    });
    expect(await open({})).toMatchObject({ name: "shipped templates", canSave: false, saved: {} });
  });

  it("edits the tree of a deployment that is named, or given", async () => {
    await aws.edit("mesh", "enableTracing: false\n");
    const saved = { mesh: "enableTracing: false\n" };
    expect(await open({ deployment: "dev" })).toMatchObject({ kind: "deployment", saved });
    expect(await open({ prefix: "/outrigger/dev" })).toMatchObject({ kind: "deployment", saved });
    const given = await openDeployment({ deployment: "dev" } as never, io());
    expect(await open({ dir: "tree" }, given)).toMatchObject({ kind: "deployment", saved });
  });

  it("refuses a directory and a deployment at once", async () => {
    for (const place of [
      ["--deployment", "dev"],
      ["--prefix", "/outrigger/dev"],
    ]) {
      const process = io();
      expect(await main(["studio", "--dir", "tree", ...place], process)).toBe(2);
      expect([process.out(), process.err()]).toEqual([
        "",
        "Cannot use --dir and a deployment at once: leave one of them out\n",
      ]);
    }
  });

  it("has the examples, and shows no pods without a cluster", async () => {
    const studio = await openStudio({ port: 0, deployment: "dev" } as never, io());
    opened.push(studio);
    const examples = (await read(studio.url, "/api/examples")) as unknown as readonly { readonly name: string }[];
    expect(examples.map(({ name }) => name)).toContain("log-shipper");
    expect(JSON.stringify(await read(studio.url, "/api/running"))).not.toContain('"pods"');
  });
});
