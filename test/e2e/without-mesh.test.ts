// The day of a team without a mesh and with a label of its own, with the packed command line: from an empty folder to three sidecars of the
// shelf, each for the pods with a label, in a canary, in 5 % of the workloads, in all, and back. Nobody writes a condition, and no line that is
// printed or written names Istio. The fake's deployment stands for that of `outrigger deploy`, by which test/infra/deploy/installed.test.ts deploys
// the same project from the packed command line.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseYaml } from "@outrigger/yaml";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { turnOf } from "../support/in-turn.ts";
import { hasKubectl, installPacked, type Newcomer, newcomer } from "./newcomer.ts";

const LABEL = "sidecars.example.com/inject";

/** Example → the label of the pods that get it. */
const SIDECARS = { "log-shipper": "logs=yes", "otel-collector": "telemetry=yes", pgbouncer: "database=yes" };

describe.runIf(hasKubectl && turnOf("First hours", 4).has(3))("a team without a mesh", { timeout: 280_000 }, () => {
  let place: string;
  let person: Newcomer;
  let printed = "";
  const project = () => join(place, "sidecars");
  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), "outrigger-installed-"));
    const executable = installPacked(place);
    printed += execFileSync(
      executable,
      ["init", "sidecars", "--without-istio", "--injection-label", LABEL, "--stage", "prod"],
      {
        cwd: place,
        encoding: "utf8",
      },
    );
    person = await newcomer(executable, join(project(), "my-templates"));
    printed += person.printed;
  });
  afterAll(async () => {
    await person?.close();
    rmSync(place, { recursive: true, force: true });
  });

  const run = async (script: string) => {
    const output = await person.done(`cd ${project()}\n${script}`);
    printed += output;
    return output;
  };
  const edit = (file: string, change: (text: string) => string) => {
    const path = join(project(), "my-templates", file);
    const text = readFileSync(path, "utf8");
    expect(change(text), file).not.toBe(text);
    writeFileSync(path, change(text));
  };
  const containersOf = async (labels: string) => {
    const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {${labels}}}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}}`;
    const made = parseYaml(
      await person.done(`kubectl create -n shop --dry-run=server -o yaml -f - <<< '${pod}'`),
      "made",
    ) as { readonly spec: { readonly initContainers?: readonly { name: string; image: string }[] } };
    return (made.spec.initContainers ?? []).map(({ name, image }) => `${name} ${image.split(":").at(-1)}`);
  };

  it("takes three sidecars from the shelf to a canary, to 5 %, to all, and back", async () => {
    for (const [name, label] of Object.entries(SIDECARS))
      expect(await run(`outrigger new template --from ${name} --pod-label ${label} --dir my-templates`)).toContain(
        `config.yaml gives ${name} to pods with ${label}\n`,
      );
    // The project began with an agent of its own for pods with logs=yes: Fluent Bit takes its place.
    edit("config.yaml", (text) => text.replace(/- name: log-agent\n.*\n.*\n/, ""));
    await run(
      "rm -r my-templates/{templates/log-agent.hbs,values/10-mine.yaml,samples/with-logs.yaml,tests/with-logs}",
    );
    expect(await run("outrigger lint my-templates --strict")).toMatch(/^No errors: /);
    expect(await run("outrigger test my-templates")).toMatch(/^(\d+) of \1 branches taken\n(\d+) of \2 tests passed$/m);
    const explained = await run("outrigger explain -f deployment.yaml --dir my-templates");
    expect(explained).toContain("log-shipper, as labels.logs is yes");
    expect(explained).toContain("Not pgbouncer, as labels.database is not yes");

    expect(await run("outrigger register --cluster shop --phase cluster")).toContain("shop is registered with prod");
    expect(await run("outrigger check --cluster shop || true")).not.toContain("✖");
    // Pods lose the first agent, and PgBouncer reads a Secret and changes an author's variable: a person accepts it, as the output says.
    const publish = "outrigger publish --dir my-templates -m 'Three sidecars'";
    const held = await person.run(`cd ${project()}\n${publish}`);
    printed += held.output;
    const [, accepted = ""] = /outrigger publish (--accept [a-z,-]+[a-z])/.exec(held.output) ?? [];
    expect([held.code, accepted]).toEqual([3, "--accept sidecar-gone,container-gone,author-changed,identity-used"]);
    expect(await run(`${publish} ${accepted}`)).toContain("stable serves ");
    await vi.waitFor(async () => expect(await containersOf('"logs": "yes"')).toEqual(["log-shipper 4.1.1"]), {
      timeout: 60_000,
      interval: 1000,
    });
    expect(await containersOf('"telemetry": "yes", "database": "yes"')).toHaveLength(2);
    expect(await containersOf('"app": "other"')).toEqual([]);

    await run("outrigger channel edits canary");
    for (const file of ["values/10-log-shipper.yaml", "tests/log-shipper-web/expected.yaml"])
      edit(file, (text) => text.replace("fluent-bit:4.1.1", "fluent-bit:4.2.0"));
    expect(await run("outrigger publish --dir my-templates -m 'Fluent Bit 4.2'")).toContain("canary serves ");
    expect(await run("outrigger diff stable canary")).toContain("+    image: cr.fluentbit.io/fluent/fluent-bit:4.2.0");
    expect(await run("outrigger promote canary stable --share 5 -m 'Five per cent'")).toContain(
      "to 5 % of the workloads",
    );
    expect(await run("outrigger rollout status")).toMatch(/5 %/);
    expect(await run("outrigger promote canary stable -m 'No complaints'")).toContain("stable serves ");
    await vi.waitFor(async () => expect(await containersOf('"logs": "yes"')).toEqual(["log-shipper 4.2.0"]), {
      timeout: 60_000,
      interval: 1000,
    });
    expect(await run("outrigger rollback stable -m 'Logs are late'")).toContain("pinned");
    await vi.waitFor(async () => expect(await containersOf('"logs": "yes"')).toEqual(["log-shipper 4.1.1"]), {
      timeout: 60_000,
      interval: 1000,
    });
    await run("kubectl apply -n shop -f deployment.yaml");
    await vi.waitFor(
      async () =>
        expect(await run("outrigger explain deploy/web -n shop")).toMatch(
          /fluent-bit:4\.1\.1, as it would be injected now/,
        ),
      { timeout: 60_000, interval: 1000 },
    );
    await run("outrigger pods --cluster shop");
    await run("outrigger restart --cluster shop --dry-run");
    await run("outrigger releases");
    await run("outrigger clusters");

    expect(readFileSync(join(project(), "my-templates/config.yaml"), "utf8")).not.toContain("{{");
    const files = readdirSync(project(), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const written = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("");
    expect((printed + written).match(/^.*istio.*$/gim)).toBeNull();
  });
});
