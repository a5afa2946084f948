// `outrigger check --verify`: images in a registry on loopback, and istiod's address in the laboratory's cluster.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toStored } from "@outrigger/injector";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SHIPPED } from "../../test/cli/fake-aws.ts";
import { type CliLab, openCliLab } from "../../test/eks/cli-lab.ts";

/** The template as it is stored. */
const SIDECAR = toStored(SHIPPED["templates/sidecar"] as string, "templates/sidecar");
const DIGEST = `sha256:${"ef".repeat(32)}`;

describe("outrigger check --verify", { timeout: 180_000 }, () => {
  let lab: CliLab;
  let host: string;
  let close: () => Promise<void>;
  beforeEach(async () => {
    const server = createServer(({ url }, response) => {
      const isThere = url === "/v2/istio/proxyv2/manifests/latest";
      response.writeHead(isThere ? 200 : 404, isThere ? { "docker-content-digest": DIGEST } : {}).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
    lab = await openCliLab();
    await serve("istio", "istiod");
    expect((await lab.register("--phase", "cluster")).code).toBe(0);
  });
  afterEach(async () => {
    await lab.close();
    await close();
  });

  /** Publishes a tree whose proxies come from a folder of the registry, and look for a service. */
  async function serve(folder: string, service: string) {
    const env = `    env:\n    - name: PROXY_CONFIG\n      value: '{"discoveryAddress":"${service}.istio-system.svc:15012"}'\n`;
    await lab.aws.edit("templates/sidecar", `${SIDECAR}${env}`);
    await lab.aws.edit("values/10-mine", `global:\n  hub: ${host}/${folder}\n`);
    expect((await lab.run("publish", "--accept", "control-plane-address,registry-misspelt")).code).toBe(0);
  }

  const check = async (...more: readonly string[]) => {
    const { out } = await lab.run("check", "--cluster", "shop", "-o", "json", ...more);
    const lines = (JSON.parse(out) as { readonly checks: readonly { id: string; level: string; seen: string }[] })
      .checks;
    return lines.filter(({ id }) => id === "images" || id === "discovery");
  };

  it("finds what exists, and names what does not with the line that has it", async () => {
    expect(await check()).toEqual([]);
    const service = { kind: "Service", metadata: { name: "istiod", namespace: "istio-system" } };
    lab.put("/api/v1/namespaces/istio-system/services/istiod", { ...service, spec: { ports: [{ port: 15012 }] } });
    expect(await check("--verify")).toMatchObject([
      { id: "images", level: "ok", seen: `${host}/istio/proxyv2@${DIGEST}` },
      { id: "discovery", level: "ok", seen: "istiod.istio-system.svc:15012" },
    ]);
    lab.put("/api/v1/namespaces/istio-system/services/istiod", { ...service, spec: { ports: [{ port: 15010 }] } });
    expect((await check("--verify"))[1]).toMatchObject({
      level: "error",
      seen: "istiod.istio-system.svc:15012 (templates/sidecar:7): service istio-system/istiod has no port 15012, but 15010",
    });
    await serve("istoi", "istoid");
    const wrong = await check("--verify");
    expect(wrong).toMatchObject([
      {
        level: "error",
        seen: `${host}/istoi/proxyv2 (values/10-mine:2): ${host} has no istoi/proxyv2 with latest`,
        fix: "fix the name in values/10-mine:2, then outrigger push",
      },
      { level: "error", seen: expect.stringContaining("there is no service istio-system/istoid") },
    ]);
    const alone = await lab.run("check", "--verify");
    expect(alone.out).toContain("✖ images ");
    expect(alone.out).not.toContain("discovery");
  });

  it("says that it could not be checked where the registry, or the cluster, does not let it", async () => {
    await close();
    close = async () => {};
    lab.api.authorize = (_method, path) => (path.includes("/services/") ? "services are not for you" : undefined);
    const lines = await check("--verify");
    expect(lines).toMatchObject([
      { id: "images", level: "unknown", seen: expect.stringContaining("nothing listens there") },
      { id: "discovery", level: "unknown", seen: expect.stringContaining("could not be checked") },
    ]);
  });
});
