// A command that was frozen for longer than its lease, as on a closed laptop, while another command changed the cluster: it
// writes nothing more, says so, and every webhook's token stays live.
import type { JsonObject } from "@outrigger/base";
import type { RegistrationPorts } from "@outrigger/cluster";
import { digestOfToken, registerCluster, rotateToken, unregisterCluster } from "@outrigger/cluster";
import { parseWebhookUrl } from "@outrigger/webhook";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLUSTER, type ClusterLab, openClusterLab } from "./cluster-lab.ts";

const LEASE = 300_000;

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe("a command that outlives its lease", { timeout: 120_000 }, () => {
  let lab: ClusterLab;
  beforeEach(async () => {
    lab = await openClusterLab();
    await registerCluster(lab.request({ phase: "enforce", safetyNet: "deny", tags: ["prod"] }), lab.ports);
  });
  afterEach(() => lab.close());

  const rotation = (changes: Partial<Parameters<typeof rotateToken>[0]> = {}) => ({
    ...lab.request(),
    patience: 0,
    countCalls: async (slot: 1 | 2) => (slot === 2 ? 1 : 0),
    ...changes,
  });
  const register = (asked: Parameters<ClusterLab["request"]>[0] = {}, ports = lab.ports) =>
    registerCluster(lab.request(asked), ports);
  const unregister = (ports = lab.ports) => unregisterCluster(lab.request(), ports, ports.kube);
  const objects = () => [...lab.api.objects].filter(([path]) => path.includes("admissionregistration"));
  const deadUrls = () =>
    objects()
      .flatMap(([, { webhooks = [] }]) => webhooks as JsonObject[])
      .map(({ clientConfig }) => String((clientConfig as JsonObject)["url"]))
      .filter((url) => !lab.publisher.digests().includes(digestOfToken(parseWebhookUrl(url)?.token ?? "")));
  const version = () =>
    JSON.stringify(objects().map(([path, { metadata }]) => [path, (metadata as JsonObject)["resourceVersion"]]));

  /** Ports whose first wait lasts longer than the lease, while something else happens. */
  function frozen(meanwhile: () => Promise<unknown>): RegistrationPorts {
    let isFrozen = false;
    const sleep = async (milliseconds: number) => {
      await lab.ports.sleep(milliseconds);
      if (isFrozen) return;
      isFrozen = true;
      await lab.ports.sleep(LEASE);
      await meanwhile();
    };
    return { ...lab.ports, sleep };
  }

  /** Ports that freeze in one call of the API server, before it takes effect. */
  function frozenIn(method: string, path: string, meanwhile: () => Promise<unknown>): RegistrationPorts {
    let isFrozen = false;
    lab.api.before = async (called, at) => {
      if (isFrozen || called !== method || !at.includes(path)) return;
      isFrozen = true;
      await lab.ports.sleep(LEASE);
      await meanwhile();
    };
    return lab.ports;
  }

  it("does not write a token that another rotation has retired", async () => {
    const ports = frozen(() => rotateToken(rotation({ patience: LEASE * 3 }), lab.ports));
    await expect(rotateToken(rotation(), ports)).rejects.toThrow("another command has changed it");
    expect(deadUrls()).toEqual([]);
    expect(lab.publisher.digests()).toHaveLength(1);
    expect(lab.publisher.records.get(CLUSTER.name)?.lease).toBeUndefined();
  });

  it.each(["outrigger-sidecar-injector", "outrigger-revision-tag-prod"])(
    "does not write a retired token over the one of another rotation, frozen in the write of %s",
    async (path) => {
      const other = () => rotateToken(rotation({ patience: LEASE * 3 }), lab.ports);
      const first = rotateToken(rotation(), frozenIn("PATCH", path, other));
      await expect(first).rejects.toThrow("another command has changed it");
      expect(deadUrls()).toEqual([]);
    },
  );

  it("leaves the new token where another rotation has continued it", async () => {
    // Both configurations are signed and have the new token when the first command freezes: at its last look.
    let patches = 0;
    lab.api.after = (method, path) => {
      if (method === "PATCH" && path.includes("mutatingwebhook")) patches++;
    };
    let isFrozen = false;
    const readRecord: RegistrationPorts["readRecord"] = async (cluster) => {
      if (patches === 4 && !isFrozen) {
        isFrozen = true;
        await lab.ports.sleep(LEASE);
        await rotateToken(rotation({ patience: LEASE * 3 }), lab.ports);
      }
      return lab.ports.readRecord(cluster);
    };
    await rotateToken(rotation(), { ...lab.ports, readRecord }).catch(() => {});
    expect([isFrozen, deadUrls()]).toEqual([true, []]);
  });

  it("continues where nobody was faster", async () => {
    expect(
      await rotateToken(
        rotation(),
        frozen(async () => {}),
      ),
    ).toBe("still-live");
    expect(deadUrls()).toEqual([]);
    expect(lab.publisher.records.get(CLUSTER.name)?.lease).toBeUndefined();
  });

  it("does not say that a cluster has a new token that was unregistered meanwhile", async () => {
    await expect(rotateToken(rotation(), frozen(unregister))).rejects.toThrow("another command has changed it");
    expect([objects(), lab.publisher.records.size]).toEqual([[], 0]);
    await register();
    let looks = 0;
    const countCalls = async () => {
      if (++looks === 1) await unregister();
      return 0;
    };
    await expect(rotateToken(rotation({ countCalls, patience: LEASE }), lab.ports)).rejects.toThrow(
      "another command has changed it",
    );
  });

  describe("registerCluster()", () => {
    const unregistered = async () => {
      await unregister();
    };

    it("changes nothing where a rotation ended between its look at the webhooks and its reading of the record", async () => {
      let before = "";
      const readRecord: RegistrationPorts["readRecord"] = async (cluster) => {
        if (before === "") await rotateToken(rotation({ isRevocation: true }), lab.ports);
        before ||= version();
        return lab.ports.readRecord(cluster);
      };
      await expect(register({}, { ...lab.ports, readRecord })).rejects.toThrow(
        "Cannot register shop: its webhooks were changed by another command in the meantime",
      );
      expect([version(), deadUrls(), lab.publisher.digests().length]).toEqual([before, [], 1]);
    });

    it("leaves the token that a rotation writes as its lease is taken over", async () => {
      const held = gate();
      const goOn = gate();
      const written = gate();
      let [before, after] = [0, 0];
      const isPatch = (method: string, path: string) => method === "PATCH" && path.includes("mutatingwebhook");
      // Both configurations are signed before the first of them gets the token.
      lab.api.before = async (method, path) => {
        if (!isPatch(method, path) || ++before !== 3) return;
        held.open();
        await goOn.opened;
      };
      lab.api.after = (method, path) => {
        if (isPatch(method, path) && ++after === 3) written.open();
      };
      const rotated = rotateToken(rotation(), lab.ports).catch(() => "stopped");
      await held.opened;
      await lab.ports.sleep(LEASE);
      const ask: RegistrationPorts["ask"] = async (request) => {
        const answer = await lab.ports.ask(request);
        goOn.open();
        await written.opened;
        return answer;
      };
      await expect(register({}, { ...lab.ports, ask })).rejects.toThrow(
        "Cannot register shop: its webhooks were changed by another command in the meantime",
      );
      expect([await rotated, deadUrls()]).toEqual(["stopped", []]);
    });

    it.each([
      ["the first apply", "PATCH", "mutatingwebhook"],
      ["the apply of the tag", "PATCH", "revision-tag"],
      ["the proof", "POST", "/pods"],
    ])("does not make again what was unregistered, frozen in %s", async (_what, method, path) => {
      const asked = { phase: "cluster", safetyNet: "warn" } as const;
      await expect(register(asked, frozenIn(method, path, unregistered))).rejects.toThrow();
      expect([objects().map(([at]) => at), lab.publisher.records.size]).toEqual([[], 0]);
    });

    it("does not make a first registration that was taken away meanwhile", async () => {
      await unregister();
      await expect(register({ phase: "enforce" }, frozenIn("POST", "/pods", unregistered))).rejects.toThrow(
        "another command has changed it",
      );
      expect([objects().map(([at]) => at), lab.publisher.records.size]).toEqual([[], 0]);
    });

    it.each([
      ["the webhooks", "outrigger-sidecar-injector"],
      ["a tag", "outrigger-revision-tag"],
      ["the policy", "validatingadmissionpolicies"],
      ["a binding", "validatingadmissionpolicybindings"],
    ])("makes no first registration over another's, frozen in the request that creates %s", async (_what, path) => {
      await unregister();
      const strict = { phase: "enforce", safetyNet: "deny", tags: ["prod"] } as const;
      let declared = "";
      const other = async () => {
        await register(strict);
        declared = version();
      };
      const first = register({ ...strict, timeoutSeconds: 7 }, frozenIn("PATCH", path, other));
      await expect(first).rejects.toThrow("another command has");
      expect([version(), deadUrls()]).toEqual([declared, []]);
      expect(lab.publisher.records.size).toBe(1);
    });

    it("takes what it has made itself for its own, where the answer was lost", async () => {
      await unregister();
      let cuts = 0;
      lab.api.after = (method, path) => {
        if (method === "PATCH" && path.includes("outrigger-sidecar-injector") && cuts++ === 0) throw new Error("cut");
      };
      await register({ phase: "cluster" });
      expect([cuts > 1, deadUrls(), objects().length]).toEqual([true, [], 1]);
    });

    it.each([
      ["the first apply", "PATCH", "mutatingwebhook"],
      ["the proof", "POST", "/pods"],
    ])("leaves what another registration has declared since, frozen in %s", async (_what, method, path) => {
      let declared = "";
      const other = async () => {
        await register({ phase: "cluster", safetyNet: "warn", tags: [] });
        declared = version();
      };
      const asked = { phase: "enforce", safetyNet: "deny", timeoutSeconds: 7 } as const;
      await expect(register(asked, frozenIn(method, path, other))).rejects.toThrow("another command has changed it");
      expect([version(), deadUrls()]).toEqual([declared, []]);
    });
  });

  describe("unregisterCluster()", () => {
    it.each([
      ["the first removal", "DELETE", "policybinding"],
      ["the last removal", "DELETE", "mutatingwebhook"],
    ])("leaves a registration that was made since, frozen in %s", async (_what, method, path) => {
      const ports = frozenIn(method, path, async () => {
        await unregister();
        await register({ phase: "enforce", safetyNet: "deny" });
      });
      await expect(unregister(ports)).rejects.toThrow("another command has changed it");
      expect(objects().length).toBeGreaterThan(0);
      expect([deadUrls(), lab.publisher.records.size]).toEqual([[], 1]);
    });
  });
});
