import { OutriggerError } from "@outrigger/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeAws, SHIPPED } from "../../test/cli/fake-aws.ts";
import { fakeCli } from "../../test/cli/fake-cli.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { openDeployment } from "../connect/deployment.ts";
import { unsettledOf } from "./unsettled-release.ts";

const REMEDY = 'the publish function finishes it within two minutes, "outrigger repair" at once';

describe("unsettledOf()", () => {
  let aws: ReturnType<typeof fakeAws>;
  let cli: ReturnType<typeof fakeCli>;
  beforeEach(async () => {
    aws = fakeAws();
    cli = fakeCli(aws.connect, SHIPPED);
    await cli.run("publish");
  });
  afterEach(() => cli.remove("."));
  const opened = () => openDeployment({}, fakeIo({ connect: aws.connect }));
  const unsettled = async () => unsettledOf(await opened());

  it("says nothing where what is served is what was declared", async () => {
    expect(await unsettled()).toBeUndefined();
  });

  it("says that something is missing or damaged where no change is pending", async () => {
    const head = aws.store.values()[aws.layout.head] as string;
    await aws.edit("values/10-mine", "global: {hub: registry.example/one}\n");
    await cli.run("publish");
    await aws.put(aws.layout.head, "nonsense");
    expect(await unsettled()).toBe(
      `What was declared is not all served yet: a record was written by hand, or /outrigger/dev/serve/head with its snapshot is missing or damaged; ${REMEDY}`,
    );
    await aws.put(aws.layout.head, head);
    expect(await unsettled()).toMatch(/^What was declared is not all served yet: .*; the publish function finishes it/);
  });

  it("names the change that is pending, how old it is, and what it is", async () => {
    await aws.edit("values/10-mine", "global: {hub: registry.example/one}\n");
    const before = { ...aws.store.values() };
    await cli.run("pin stable -m", "freeze");
    // The log has the pin: its record and what is served are as they were.
    for (const name of [aws.layout.head, aws.layout.mirrorPart(0), aws.layout.channel("stable")])
      await aws.put(name, before[name] as string);
    expect(await unsettled()).toMatch(
      /^What was declared is not all served yet: change \d+ of \d+s \(stable .*pinned.*\); the publish function finishes it/,
    );
  });

  it("names what cannot be read, of several the first three", async () => {
    for (const name of ["a", "b", "c", "d"]) await aws.put(aws.layout.cluster(name), "nonsense");
    const text = await unsettled();
    expect(text?.match(/Cannot read \S+\/clusters\/\w/g)).toEqual(
      ["a", "b", "c"].map((name) => `Cannot read /outrigger/dev/clusters/${name}`),
    );
  });

  it("says that it cannot be compared where it may not be read, and passes on what is no such fault", async () => {
    const deployment = await opened();
    const failing = (error: Error) => {
      const fail = () => Promise.reject(error);
      return unsettledOf({
        ...deployment,
        store: { ...deployment.store, getParameters: fail, getParametersByPath: fail },
      });
    };
    expect(await failing(new OutriggerError("store-denied", "You may not read it"))).toBe(
      "What was declared cannot be compared with what is served: You may not read it",
    );
    await expect(failing(new TypeError("a mistake of ours"))).rejects.toThrow("a mistake of ours");
  });
});
