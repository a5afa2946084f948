// `outrigger start --fake --kubeconfig`: AWS is a fake, the cluster is a real API server, and each command does there what it does on EKS.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { httpCall } from "@outrigger/aws";
import { objectOf } from "@outrigger/base";
import { connectLazily } from "@outrigger/cli";
import { metadataOf } from "@outrigger/pod";
import { isInjected } from "@outrigger/webhook";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeIo } from "../cli/fake-io.ts";
import { labCertificate } from "../eks/lab-certificate.ts";
import { openShell, type Shell } from "../pages/shell.ts";
import { turnOf } from "../support/in-turn.ts";
import { type RealApiServer, startRealApiServer } from "./support/real-api-server.ts";
import { assetsFolder } from "./support/real-lab.ts";

const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

describe.runIf(turnOf("Commands on a real API server", 5).has(3))(
  "outrigger start --fake --kubeconfig, on a real API server",
  () => {
    let api: RealApiServer;
    let shell: Shell;
    let printed: string;
    beforeAll(async () => {
      api = await startRealApiServer(assetsFolder(), await labCertificate());
      // The webhook and the API server keep real time, so what waits for them does too.
      shell = await openShell(
        (place, home) =>
          fakeIo({ ...place, studio: join(home, "studio"), connect: connectLazily(place.env, "1.2.3"), sleep }),
        { programs: ["kubectl"] },
      );
      // Another context is the current one: no command may come to it.
      const { contexts, ...config } = JSON.parse(api.kubeconfigText());
      const elsewhere = { name: "elsewhere", context: { cluster: "none", user: "none" } };
      const text = JSON.stringify({ ...config, contexts: [...contexts, elsewhere], "current-context": "elsewhere" });
      writeFileSync(join(shell.folder, "config"), text);
      const shop = {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "shop", labels: { "istio-injection": "enabled" } },
      };
      await api.admin.apply("/api/v1/namespaces/shop", shop, { force: true });
      printed = await shell.start("outrigger start --fake --no-studio --kubeconfig config --context real");
    });
    afterAll(async () => {
      await shell?.close();
      await api?.close();
    });

    const done = async (script: string) => {
      const { code, output } = await shell.run(script);
      expect(code, `${script}\n${output}`).toBe(0);
      return output;
    };
    const webhooks = async () => {
      const names: string[] = [];
      for await (const one of api.admin.list(WEBHOOKS)) names.push(metadataOf(one).name);
      return names;
    };

    it("says whose cluster it is, and which commands change it", () => {
      expect(printed).toContain(`"shop" is your own, the context real at ${api.url}`);
      expect(printed).toContain("outrigger off --remove --context real\n");
      expect(printed).not.toContain("admin-token");
    });

    it("registers as printed, is sound by check, injects, and is left as it was found", async () => {
      const [register = "", check = "", pods = "", off = ""] = printed
        .slice(printed.indexOf("outrigger register"))
        .split("\n")
        .map((line) => line.trim());
      await done(register);
      expect(await webhooks()).toEqual(["outrigger-sidecar-injector"]);
      expect(await done(check)).not.toMatch(/^✖/m);
      const pod = {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
        spec: { containers: [{ name: "app", image: "app:1" }] },
      };
      const path = "/api/v1/namespaces/shop/serviceaccounts/default";
      while ((await api.admin.get(path)) === undefined) await sleep(100);
      expect(isInjected((await api.admin.createDryRun("/api/v1/namespaces/shop/pods", pod)) as never)).toBe(true);
      await done(pods);
      await done(`${off} --yes`);
      expect(await webhooks()).toEqual(["outrigger-off"]);
    });

    it("passes on nobody's requests but those that this fake has signed for", async () => {
      const described = /AWS_ENDPOINT_URL=(\S+)/.exec(printed)?.[1];
      const authorization = "AWS4-HMAC-SHA256 Credential=x/20261101/us-east-1/eks/aws4_request, Signature=x";
      const answer = await fetch(`${described}/clusters/shop`, { headers: { authorization } });
      const { endpoint, certificateAuthority } = objectOf(objectOf(await answer.json())["cluster"]);
      const ca = Buffer.from(String(objectOf(certificateAuthority)["data"]), "base64").toString();
      const signed = (key: string) =>
        `k8s-aws-v1.${Buffer.from(`https://sts.us-east-1.amazonaws.com/?X-Amz-Credential=${key}%2F20261101`).toString("base64url")}`;
      const codes: number[] = [];
      for (const token of [undefined, "admin-token", signed("fake"), signed("")]) {
        const { status } = await httpCall(new URL(`${String(endpoint)}/api/v1/namespaces`), {
          method: "GET",
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
          signal: AbortSignal.timeout(10_000),
          agent: false,
          limit: 1e6,
          ca,
        });
        codes.push(status);
      }
      expect(codes).toEqual([401, 401, 401, 401]);
    });

    it.each([
      ["--kubeconfig config", "Cannot use --kubeconfig without --fake"],
      ["--fake --context real", "Cannot use --context alone"],
      ["--fake --http --kubeconfig config", "Cannot use --kubeconfig with --http"],
      ["--fake --kubeconfig none", "none"],
      ["--fake --kubeconfig config --context other", "other"],
      ["--kubeconfig config --fake", 'has no cluster "none"'],
    ])("names what is wrong with %s", async (words, said) => {
      const { code, output } = await shell.run(`outrigger start --no-studio --port 0 ${words}`);
      expect([code, output]).toEqual([expect.any(Number), expect.stringContaining(said)]);
      expect(code).not.toBe(0);
    });
  },
);
