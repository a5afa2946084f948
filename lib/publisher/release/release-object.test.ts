import { releaseDigest } from "@outrigger/serving";
import { beforeEach, describe, expect, it } from "vitest";
import { compileWords, layout, publisherSetup } from "../../../test/support/publisher-setup.ts";
import { reconcileSource } from "../source/reconcile-source.ts";
import { oneRelease, readRelease, writeOrigin, writeRelease } from "./release-object.ts";

const ORIGIN = { at: "2026-01-02T03:04:05.000Z", by: "ann", why: "", tree: "t" };

let setup: ReturnType<typeof publisherSetup>;
beforeEach(() => {
  setup = publisherSetup();
});

async function write(changes: object = {}): Promise<string> {
  const release = { ...compileWords([{ mesh: "a" }]), ...changes } as ReturnType<typeof compileWords>;
  const digest = releaseDigest(release);
  await writeRelease(release, digest, ORIGIN, setup.dependencies);
  return digest;
}

describe("readRelease()", () => {
  it("reads back what writeRelease() wrote, which writes it once", async () => {
    const digest = await write();
    expect(await readRelease(setup.dependencies, digest)).toMatchObject({ release: compileWords([{ mesh: "a" }]) });
    const before = setup.bucket.objectTable();
    setup.clock.time += 1000;
    await write();
    expect(setup.bucket.objectTable()).toEqual(before);
  });

  it("gives the same release each time, so that what is found out of it is found out once", async () => {
    const digest = await write();
    const { release } = await readRelease(setup.dependencies, digest);
    expect((await readRelease(setup.dependencies, digest)).release).toBe(release);
    expect(oneRelease(compileWords([{ mesh: "a" }]))).toBe(release);
  });

  it("keeps the origin that there is until writeOrigin() replaces it", async () => {
    const digest = await write();
    const release = compileWords([{ mesh: "a" }]);
    const later = { at: "2026-01-03T00:00:00.000Z", by: "bob", why: "", tree: "t" };
    expect(await writeRelease(release, digest, later, setup.dependencies)).toBe(false);
    expect((await readRelease(setup.dependencies, digest)).origin).toMatchObject({ by: "ann" });
    await writeOrigin(release, digest, later, setup.dependencies);
    expect((await readRelease(setup.dependencies, digest)).origin).toEqual(later);
  });

  it("refuses a release in another form", async () => {
    const digest = await write({ format: 99 });
    await expect(readRelease(setup.dependencies, digest)).rejects.toMatchObject({
      code: "release-unsupported",
      path: layout.release(digest),
    });
  });

  it("refuses a release that does not exist, or that is not whole", async () => {
    await expect(readRelease(setup.dependencies, "0".repeat(12))).rejects.toMatchObject({ code: "release-unknown" });
    const digest = await write();
    await setup.bucket.putObject({ key: layout.release(digest), text: "half" });
    await expect(readRelease(setup.dependencies, digest)).rejects.toMatchObject({ code: "store-corrupt" });
  });

  it("refuses one whose object is damaged until the same tree is published again, by a person or the schedule", async () => {
    await setup.edit("mesh", "a");
    for (const again of [() => setup.run({ action: "publish" }), () => reconcileSource(setup.dependencies)]) {
      await setup.run({ action: "publish" });
      const { stable: digest = "" } = (await setup.served()).channels;
      await setup.bucket.putObject({ key: layout.release(digest), text: "half" });
      await expect(readRelease(setup.dependencies, digest)).rejects.toMatchObject({ code: "store-corrupt" });
      await again();
      expect(await readRelease(setup.dependencies, digest)).toMatchObject({ release: { values: { mesh: "a" } } });
    }
  });
});
