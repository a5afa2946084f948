import { layoutOf } from "@outrigger/aws";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openDeployment } from "../connect/deployment.ts";
import { type FakeDeployment, startFakeDeployment } from "../server/fake-deployment.ts";
import { deploymentWorkspace } from "./deployment-workspace.ts";

const SHIPPED = { config: "policy: enabled\n", "templates/sidecar": "spec: {}\n" };
const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "outrigger-dev-publish" };

let fake: FakeDeployment;
beforeAll(async () => {
  fake = await startFakeDeployment({ target, tier: "Standard", shipped: SHIPPED, tree: {}, port: 0, report: () => {} });
});
afterAll(() => fake.close());

async function open() {
  const io = fakeIo({ connect: async () => fake.connection });
  const deployment = await openDeployment({}, io);
  return { deployment, workspace: deploymentWorkspace(deployment, async () => SHIPPED, io) };
}

it("shows what can be read, and names a parameter whose name means nothing", async () => {
  const { deployment, workspace } = await open();
  const [name, text] = [target.layout.sourceParameter("odd"), "a: 1\n"];
  await deployment.store.putParameter({ name, value: text, overwrite: true, tier: "Standard" });
  const { saved, faults } = await workspace.read();
  expect(saved).toEqual({});
  expect(faults).toEqual([{ severity: "error", path: "", message: expect.stringContaining(`delete ${name}`) }]);
  expect((await workspace.releases?.read())?.refused).toEqual(faults);
  await deployment.store.deleteParameters([name]);
});
