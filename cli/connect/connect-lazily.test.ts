import { layoutOf } from "@outrigger/aws";
import { fakeParameterStore, startFakeServer } from "@outrigger/fake-aws";
import { expect, it } from "vitest";
import { connectLazily } from "./connect-lazily.ts";

it("connectLazily() connects to the deployment that it is asked for, in its environment", async () => {
  const store = fakeParameterStore();
  await store.putParameter({ name: "/outrigger/dev/a", value: "x", overwrite: true, tier: "Standard" });
  const server = await startFakeServer({ service: store.service });
  try {
    const connect = connectLazily({ USER: "ann" }, "1.2.3");
    const target = { stage: "dev", layout: layoutOf("/outrigger/dev"), publisher: "p", region: "eu-west-1" };
    const connection = await connect({ ...target, fake: server.url });
    expect(await connection.store.getParameters(["/outrigger/dev/a"])).toMatchObject([{ value: "x" }]);
    expect(await connection.caller()).toBe("ann");
  } finally {
    await server.close();
  }
});
