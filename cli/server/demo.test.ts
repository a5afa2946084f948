import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { layoutOf } from "@outrigger/aws";
import { expect, it } from "vitest";
import { fakeAws } from "../../test/cli/fake-aws.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { main } from "../main.ts";
import type { Io } from "../terminal/io.ts";
import { runDemo } from "./demo.ts";

// Compiles the shipped tree several times, which takes seconds on a busy machine.
it("outrigger start --demo shows an injection, a refused edit, a canary and a rollback, and ends", {
  timeout: 180_000,
}, async () => {
  const io = fakeIo({ env: { OUTRIGGER_STAGE: "prod", AWS_REGION: "eu-west-1" } });
  expect(await main(["start", "--demo"], io)).toBe(0);
  expect(io.out()).toMatch(/Added initContainers: istio-init, istio-proxy/);
  expect(io.out()).toMatch(/values\/50-image.yaml:3:20: error: .*imagePullPolicy/);
  expect(io.out()).toMatch(/stable serves \w+ to 5 % of the workloads/);
  expect(io.out()).toMatch(/is taken back from 5 %/);
  expect(io.out()).toContain("/outrigger/dev/source");
  expect(io.out()).toContain("Cluster local is changed\n");
  // Each step has its number, and each file is shown before a command reads it.
  expect(io.out().match(/^(?:# \d|\$ cat \S+\n.*)/gm)).toEqual([
    "# 1",
    "$ cat pod.yaml\napiVersion: v1",
    "# 2",
    "$ cat my-templates/values/50-image.yaml\nglobal:",
    "# 3",
    "$ cat my-templates/values/50-image.yaml\nglobal:",
    "# 4",
  ]);
  expect(io.out()).toMatch(/Try it yourself: outrigger start --fake\n$/);
});

it.each([
  { what: "fails", code: 1, meaning: "found something", count: 1 },
  { what: "is not refused", code: 0, meaning: "done, and nothing is wrong", count: 2 },
])("runDemo() throws where a command $what", async ({ code, meaning, count }) => {
  const io = fakeIo({ env: { OUTRIGGER_STAGE: "prod", AWS_PROFILE: "ours", TERM: "xterm" } });
  const ran: string[] = [];
  const inside: Pick<Io, "cwd" | "env">[] = [];
  const connection = await fakeAws().connect({
    stage: "dev",
    layout: layoutOf("/outrigger/dev"),
    publisher: "outrigger-dev-publish",
  });
  const demo = runDemo(io, connection, async (words, { cwd, env }) => {
    ran.push(words.join(" "));
    inside.push({ cwd, env });
    return code;
  });
  const error: Error = await demo.then(
    () => expect.fail("It did not throw"),
    (reason) => reason,
  );
  expect(ran).toHaveLength(count);
  expect(error.message).toContain(`The demo's "outrigger ${ran.at(-1)}" ended with ${code}: ${meaning}`);
  expect(io.out().match(/(?<=^\$ outrigger ).*$/gm)).toEqual(ran);
  // A reader's own deployment has no part in it, and no file is left.
  for (const { cwd, env } of inside)
    expect([dirname(cwd), existsSync(cwd), env]).toEqual([tmpdir(), false, { TERM: "xterm" }]);
});
