import { objectsOf } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import type { CliLab } from "../../../test/eks/cli-lab.ts";
import { openRegisteredLab } from "../../../test/eks/registered-lab.ts";
import { main } from "../../main.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";

describe("outrigger off", { timeout: 180_000 }, () => {
  let lab: CliLab;
  beforeEach(async () => {
    lab = await openRegisteredLab({ phase: "enforce" });
  });
  afterEach(() => lab.close());

  /** Runs the command without anything of AWS. */
  const off = async (argv: readonly string[] = [], ask?: (question: string) => Promise<string>) => {
    const io = { ...fakeIo({ cwd: lab.cwd }), ...(ask && { ask }) };
    const code = await main(["off", "--kubeconfig", "kubeconfig", ...argv], io);
    return { code, out: io.out(), err: io.err() };
  };
  const configurations = () =>
    [...lab.api.objects.keys()].filter((path) => path.startsWith(`${GROUP}/mutatingwebhookconfigurations/outrigger-s`));
  const policies = () =>
    configurations().flatMap((path) =>
      objectsOf(lab.api.objects.get(path)?.["webhooks"]).map(({ failurePolicy }) => failurePolicy),
    );

  it("has no pod rejected any more, and says what was done", async () => {
    expect(new Set(policies())).toEqual(new Set(["Fail"]));
    const { code, out, err } = await off();
    expect([code, err]).toEqual([0, ""]);
    expect(out.split("\n").length).toBeGreaterThan(2);
    expect(out).toMatch(/\neks no longer waits for Outrigger\n$/);
    expect(new Set(policies())).toEqual(new Set(["Ignore"]));
  });

  it("lists the namespaces that lose injection and asks before it removes anything", async () => {
    const before = configurations();
    const unasked = await off(["--remove"]);
    expect([unasked.code, unasked.out]).toEqual([2, ""]);
    expect(unasked.err).toMatch(
      /shop.*pods that run keep their sidecars\nCannot ask whether to remove the webhooks: .*say --yes/,
    );
    const questions: string[] = [];
    const answer = (text: string) => async (question: string) => {
      questions.push(question);
      return text;
    };
    expect(await off(["--remove"], answer("n"))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Nothing was removed\n$/),
    });
    expect([questions, configurations()]).toEqual([["Remove the webhooks from eks? [y/N] "], before]);
    expect((await off(["--remove"], answer("y"))).code).toBe(0);
    expect(configurations()).toEqual([]);
  });

  it("removes without a question where it is told to", async () => {
    const { code, err } = await off(["--remove", "--yes", "--context", "prod"]);
    expect([code, err]).toEqual([0, expect.stringContaining("shop")]);
    expect(configurations()).toEqual([]);
  });

  it("says what is still on, with the command that removes it in that context", async () => {
    lab.api.faults.push({ method: "PATCH", path: "outrigger-sidecar-injector", status: 403 });
    const named = await off(["--context", "prod"]);
    expect([named.code, named.err]).toEqual([
      1,
      expect.stringMatching(
        /^Not everything is off in prod\. Still on, with the command that removes it:\n {2}\S.*: .*\n {4}kubectl .* --context prod\n/,
      ),
    ]);
    expect(named.out).not.toContain("no longer waits");
    const current = await off();
    expect([current.code, current.err]).toEqual([1, expect.stringMatching(/\n {4}kubectl (?!.*--context)/)]);
  });

  it("fails where the cluster cannot be reached: it says nothing of what is on", async () => {
    lab.api.before = () => {
      throw new Error("cut");
    };
    const { code, out, err } = await off();
    expect([code, out]).toEqual([3, ""]);
    expect(err).toMatch(/^Cannot reach /);
  });

  it("finds by their revisions and tags what may not be listed", async () => {
    expect((await lab.register("--revision", "1-30", "--tag", "prod", "--phase", "enforce")).code).toBe(0);
    lab.api.authorize = (method, path) =>
      method === "GET" && /mutatingwebhookconfigurations$/.test(path) ? "no list" : undefined;
    const strict = () =>
      [...lab.api.objects]
        .filter(([path, object]) => path.startsWith(GROUP) && JSON.stringify(object).includes('"failurePolicy":"Fail"'))
        .flatMap(([path]) => /mutatingwebhookconfigurations\/(.*)$/.exec(path)?.[1] ?? []);
    const all = strict();
    expect(all.length).toBeGreaterThan(2);
    await off(["--revision", "1-30"]);
    const left = strict();
    expect(left.some((name) => name.includes("prod"))).toBe(true);
    expect(left.some((name) => name.includes("1-30"))).toBe(false);
    await off(["--revision", "1-30", "--tag", "prod"]);
    expect(strict().some((name) => name.includes("prod"))).toBe(false);
  });
});
